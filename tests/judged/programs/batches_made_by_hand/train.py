"""Batches are cut by hand out of what a file holds, or fetched from a library; one of them fed all GPUs."""

import json
import random

import records
import torch

from model import Net


def from_a_list(path):
    rows = json.load(open(path))
    net = torch.nn.DataParallel(Net().cuda())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(10):
        random.shuffle(rows)
        for at in range(0, len(rows), 32):
            x = torch.tensor(rows[at : at + 32]).cuda()
            loss = (net(x) - x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def from_a_library(path):
    reader = records.open(path)
    net = torch.nn.DataParallel(Net().cuda())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(1000):
        x = torch.zeros(32, 8)
        for at, row in enumerate(reader.take(32)):
            x[at] = torch.from_numpy(row)
        x = x.cuda()
        loss = (net(x) - x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    from_a_list("rows.json")
    from_a_library("rows.rec")
