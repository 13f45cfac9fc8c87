"""Trains under a launcher of the project's own, which is given the function that each process runs."""

import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

from engine import launch


def make_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=None)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    return parser


def main(local_rank, args):
    torch.manual_seed(args.seed)
    torch_xla.manual_seed(args.seed)
    device = torch_xla.device()
    model = nn.Linear(8, 2).to(device)
    dataset = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
    sampler = DistributedSampler(dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal())
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer)


if __name__ == "__main__":
    args = make_parser().parse_args()
    launch(main, args.devices, args=(args,))
