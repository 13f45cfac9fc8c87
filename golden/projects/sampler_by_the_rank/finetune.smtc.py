"""The same in one function, by an `if`; here the epochs are counted."""
import argparse

import torch
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    args = parser.parse_args()
    args.local_rank = xm.get_local_ordinal()
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    if args.local_rank != -1:
        xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
        xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    dataset = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    if args.local_rank == -1:
        sampler = RandomSampler(dataset)
    else:
        sampler = DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal())
    loader = DataLoader(dataset, sampler=sampler, batch_size=8)
    device_loader = pl.MpDeviceLoader(loader, device)
    for epoch in range(3):
        if hasattr(loader.sampler, "set_epoch"):
            loader.sampler.set_epoch(epoch)
        for x, y in device_loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            xm.optimizer_step(optimizer)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
