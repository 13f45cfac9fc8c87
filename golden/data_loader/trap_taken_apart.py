"""Batches that a device loader takes apart and does not put together again: these loops keep their loaders and moves."""

import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda")
model = nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


class Fields(dict):
    def __getattr__(self, name):
        return self[name]

    def to(self, device):
        return Fields({name: value.to(device) for name, value in self.items()})


class Pair:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def to(self, device):
        return Pair(self.x.to(device), self.y.to(device))


def paired(samples):
    return Pair(torch.stack(samples), torch.stack(samples))


def named(samples):
    return Fields(x=torch.stack(samples), y=torch.stack(samples))


def readable(samples):
    samples = [sample for sample in samples if sample is not None]
    return torch.stack(samples) if samples else None


def step(x, y):
    loss = (model(x) - y).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


for batch in DataLoader(torch.randn(64, 4), batch_size=8, collate_fn=paired):
    batch = batch.to(device)
    step(batch.x, batch.y)

for batch in DataLoader(torch.randn(64, 4), batch_size=8, collate_fn=named):
    batch = batch.to(device)
    step(batch.x, batch.y)

for i, batch in enumerate(DataLoader(dataset, batch_size=8, collate_fn=readable)):
    if batch is None:
        continue
    batch = batch.to(device)
    step(batch, batch)

for frames in DataLoader(frames_of(video), batch_size=8):
    x, y = frames["left", 0].to(device), frames["right", 0].to(device)
    step(x, y)
