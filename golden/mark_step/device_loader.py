import torch
from torch.utils.data import DataLoader


def train(model, dataset, other):
    model.cuda()
    optimizer = torch.optim.Adam(model.parameters())
    loader = DataLoader(dataset)
    for x, y in loader:
        model(x.cuda(), y.cuda()).backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    with torch.no_grad():
        for x, y in loader:
            print(model(x.cuda(), y.cuda()))
