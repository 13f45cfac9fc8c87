"""A variable whose name a function takes further down: what the function's callers mean is the function."""
import argparse

import torch
from torch.utils.data import DataLoader

args = argparse.ArgumentParser().parse_args()
model = torch.nn.DataParallel(torch.nn.Linear(4, 2).cuda())
checkpoint = torch.load("last.pt")
model.load_state_dict(checkpoint["model"])
loader = DataLoader(torch.load("data.pt"), batch_size=8)


def checkpoint(epoch):
    torch.save({"model": model.state_dict(), "epoch": epoch}, "last.pt")


def train(epoch):
    for x, y in loader:
        torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
    checkpoint(epoch)


for epoch in range(3):
    train(epoch)
