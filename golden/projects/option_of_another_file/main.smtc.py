import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm

from engine import train


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true")
    args = parser.parse_args()
    loader = DataLoader(TensorDataset(torch.randn(64, 4), torch.randint(2, (64,))), batch_size=8, shuffle=True)
    model = nn.Linear(4, 2)
    device = xm.xla_device()
    if args.cuda:
        model = model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(3):
        train(args, model, loader, optimizer)


if __name__ == "__main__":
    main()
