"""Trains the network of a file that an option names: any of those beside the default."""
import argparse
import importlib
import os
import sys

import torch
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

ROOT = os.path.dirname(os.path.abspath(__file__))
sys.path.append(os.path.join(ROOT, "models"))


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", default="plain_net", help="model name")
    return parser.parse_args()


def main(args):
    torch.manual_seed(0)
    xm.set_rng_state(0)
    net = importlib.import_module(args.model)
    device = xm.xla_device()
    classifier = net.get_model(4).to(device)
    criterion = net.get_loss().to(device)
    optimizer = torch.optim.Adam(classifier.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(32, 8, 4), torch.randint(0, 4, (32,)))
    loader = DataLoader(data, batch_size=8, shuffle=True, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for epoch in range(2):
        for points, target in loader:
            optimizer.zero_grad()
            loss = criterion(classifier(points), target)
            loss.backward()
            xm.optimizer_step(optimizer)


if __name__ == "__main__":
    main(parse_args())
