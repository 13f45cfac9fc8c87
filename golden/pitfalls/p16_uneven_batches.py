"""Processes whose last batches differ in shape run different graphs and stall in the next collective."""
import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, IterableDataset


class Shard(IterableDataset):
    def __init__(self, paths):
        self.paths = paths[dist.get_rank() :: dist.get_world_size()]

    def __iter__(self):
        for path in self.paths:
            yield from torch.load(path)


def main():
    dist.init_process_group("nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    model = DDP(torch.nn.Linear(4, 2).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_loader = DataLoader(Shard(paths), batch_size=64)
    for epoch in range(10):
        for x, y in train_loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()


if __name__ == "__main__":
    main()
