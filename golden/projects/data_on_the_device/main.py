import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from data import Batches, Stream, Windows, cut, put_on, split_loaders


def train(model, loader, optimizer):
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()


@torch.no_grad()
def evaluate(model, loader):
    total = 0.0
    for x, y in loader:
        loss = nn.functional.mse_loss(model(x), y)
        total += loss.item()
    return total / len(loader)


def main():
    device = torch.device("cuda")
    model = nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    train_loader, val_loader = split_loaders(torch.randn(64, 4), device)
    for epoch in range(3):
        train(model, train_loader, optimizer)
        print(epoch, evaluate(model, val_loader))

    windows = DataLoader(Windows(torch.randn(100, 4), 1, device), batch_size=8, drop_last=True)
    for x, y in windows:
        x, y = x.to(device), y.to(device)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(x[:, 0]), y).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    x, y = torch.randn(64, 4), torch.randn(64, 4)
    collated = DataLoader(list(zip(x, y)), batch_size=8, drop_last=True, collate_fn=put_on(device))
    streamed = DataLoader(Stream(x, y, device), batch_size=8, drop_last=True)
    for loader in (collated, streamed):
        train(model, loader, optimizer)
    x, y = x.to(device), y.to(device)
    for a, b in Batches(x, y, size=8):
        a, b = a.to(device), b.to(device)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(a), b).backward()
        optimizer.step()
    for a, b in cut(x, y, 8):
        a, b = a.to(device), b.to(device)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(a), b).backward()
        optimizer.step()
    pairs = list(zip(x.split(8), y.split(8)))
    for a, b in pairs:
        a, b = a.to(device), b.to(device)
        optimizer.zero_grad()
        nn.functional.mse_loss(model(a), b).backward()
        optimizer.step()
    rows = DataLoader([{"x": a, "y": b} for a, b in zip(x, y)], batch_size=8, drop_last=True)
    for batch in rows:
        optimizer.zero_grad()
        nn.functional.mse_loss(model(batch["x"]), batch["y"]).backward()
        optimizer.step()


if __name__ == "__main__":
    main()
