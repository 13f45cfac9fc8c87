"""Trains at module level."""
import argparse

import torch
import torch.nn as nn

LR = 0.1
parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)


def train(epoch):
    for x, y in data:
        optimizer.zero_grad()
        loss = model(x).sum()
        loss.backward()
        optimizer.step()
    print("epoch", epoch, "of", args.epochs)


def main():
    global args, model, optimizer
    args = parser.parse_args()

    # the network
    model = nn.DataParallel(nn.Linear(4, 2)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=LR)

    banner = """
    starting
"""
    for epoch in range(args.epochs):
        train(epoch)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
