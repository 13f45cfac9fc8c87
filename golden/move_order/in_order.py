import torch
from torch import nn


def prepare(model):
    return model.cuda()


def main(loader):
    model = nn.Linear(4, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    other = nn.Linear(2, 2)
    other = prepare(other)
    second = torch.optim.SGD(other.parameters(), lr=0.1)
    other.cuda()
    for x in loader:
        optimizer.zero_grad()
        second.zero_grad()
        other(model(x.cuda())).sum().backward()
        optimizer.step()
        second.step()
    model.cuda()
