"""The name of the loader is bound again, to a generator over it, and its batches are drawn by `next`."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.distributed.parallel_loader as pl


def sample_data(loader):
    while True:
        for batch in loader:
            yield batch


def train(loader, model, optimizer, device):
    loader = sample_data(pl.MpDeviceLoader(loader, device))
    for _ in range(20):
        (x,) = next(loader)
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def train_by_iter(loader, model, optimizer, device):
    loader = iter(pl.MpDeviceLoader(loader, device))
    for _ in range(8):
        (x,) = next(loader)
        loss = model(x).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main():
    device = torch.device("cuda")
    model = nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.randn(64, 4)), batch_size=8, shuffle=True, drop_last=True)
    train(loader, model, optimizer, device)
    train_by_iter(loader, model, optimizer, device)


main()
