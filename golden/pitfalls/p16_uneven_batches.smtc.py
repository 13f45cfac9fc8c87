"""Processes whose last batches differ in shape run different graphs and stall in the next collective."""

import torch
from torch.utils.data import DataLoader, IterableDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Shard(IterableDataset):
    def __init__(self, paths):
        self.paths = paths[xm.get_ordinal() :: xm.xrt_world_size()]

    def __iter__(self):
        for path in self.paths:
            yield from torch.load(path)


def main():
    local_rank = xm.get_local_ordinal()
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_loader = DataLoader(Shard(paths), batch_size=64, drop_last=True)
    train_loader = pl.MpDeviceLoader(train_loader, device)
    for epoch in range(10):
        for x, y in train_loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            xm.optimizer_step(optimizer)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
