"""Pitfall 22: arguments and devices at module level, where every process imports them again."""
import argparse

import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)
parser.add_argument("--lr", type=float, default=0.1)
args = parser.parse_args()


def train():
    for (x,) in loader:
        optimizer.zero_grad()
        model(x).pow(2).mean().backward()
        xm.optimizer_step(optimizer)


def main():
    global loader, model, optimizer

    torch.manual_seed(0)
    torch_xla.manual_seed(0)

    dataset = TensorDataset(torch.randn(64, 4))
    device = torch_xla.device()
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal()))
    loader = pl.MpDeviceLoader(loader, device)
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    train()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
