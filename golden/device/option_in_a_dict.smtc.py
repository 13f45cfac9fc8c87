"""An option that names the device is one entry of a dict, asked for with another default."""

import argparse

import torch
from torch import nn


def experiment(variant):
    device = variant.get("device", "xla")
    model = nn.Linear(4, 1)
    model = model.to(device=device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=variant["lr"])
    for _ in range(5):
        loss = model(torch.ones(8, 4).to(dtype=torch.float32, device=device)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--device", type=str, default="xla")
    experiment(vars(parser.parse_args()))
