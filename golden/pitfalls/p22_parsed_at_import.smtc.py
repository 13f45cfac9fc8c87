"""Pitfall 22: arguments and devices at module level, where every process imports them again."""
import argparse

import torch
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)
parser.add_argument("--lr", type=float, default=0.1)


def train():
    for (x,) in loader:
        optimizer.zero_grad()
        model(x).pow(2).mean().backward()
        xm.optimizer_step(optimizer)


def main():
    global loader, model, optimizer
    args = parser.parse_args()

    torch.manual_seed(0)
    xm.set_rng_state(0)

    dataset = TensorDataset(torch.randn(64, 4))
    device = xm.xla_device()
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()))
    loader = pl.MpDeviceLoader(loader, device)
    model = torch.nn.Linear(4, 1).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
    train()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
