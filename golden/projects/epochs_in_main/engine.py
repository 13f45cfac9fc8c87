import torch
from torch import nn


def train_one_epoch(model, loader, optimizer, device):
    model.train()
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        optimizer.step()


def validate(model, loader, device):
    model.eval()
    right = torch.zeros((), device=device)
    with torch.no_grad():
        for x, y in loader:
            right += (model(x.to(device)).argmax(1) == y.to(device)).sum()
    print(right.item())
