import torch
from torch.utils.data import DataLoader


def train(dataset, limit):
    model = torch.nn.DataParallel(torch.nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    steps = 0
    for x, y in DataLoader(dataset, batch_size=8):
        torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
        optimizer.step()
        steps += 1
        if steps >= limit:
            break
