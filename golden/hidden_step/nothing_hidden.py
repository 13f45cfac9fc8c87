import torch
from torch.utils.data import DataLoader


def train(model, dataset, scheduler, writer):
    optimizer = torch.optim.SGD(model.cuda().parameters(), lr=0.1)
    for x, y in DataLoader(dataset):
        loss = model(x.cuda(), y.cuda())
        loss.backward()
        optimizer.step()
        for p in model.parameters():
            p.data.mul_(0.99)
        adjust_learning_rate(optimizer, x)
    with torch.no_grad():
        for x, y in DataLoader(dataset):
            save(model, optimizer)
            writer.add_scalar("a", scheduler.step)
