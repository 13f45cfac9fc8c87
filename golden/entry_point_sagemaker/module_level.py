"""Trains at module level."""
import argparse

import torch
import torch.nn as nn

LR = 0.1
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)
args = parser.parse_args()

# the network
model = nn.DataParallel(nn.Linear(4, 2)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=LR)


def train(epoch):
    for x, y in data:
        optimizer.zero_grad()
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
    print("epoch", epoch, "of", args.epochs)


banner = """
    starting
"""
for epoch in range(args.epochs):
    train(epoch)
