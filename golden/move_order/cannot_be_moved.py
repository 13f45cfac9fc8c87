import torch
from torch import nn


def train(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    big = sum(p.numel() for p in model.parameters()) > 1000
    if big:
        model.cuda()
    for x in loader:
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


class Loop:
    def __init__(self, model, optimizer):
        self.model = model.cuda()
        self.optimizer = optimizer
