"""One name bound in two guarded arms around a barrier; a collective inside forward."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn


class GlobalBatchNorm(nn.Module):
    def forward(self, x):
        mean = x.mean(0)
        dist.all_reduce(mean)
        return x - mean / dist.get_world_size()


def load(rank):
    if rank == 0:
        data = torch.arange(8.0)
        dist.barrier()
    else:
        dist.barrier()
        data = torch.arange(8.0)
    return data


def main():
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.manual_seed(0)
    data = load(rank).view(4, 2).cuda()
    model = nn.Sequential(nn.Linear(2, 2), GlobalBatchNorm()).cuda()
    model = nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        model(data).pow(2).sum().backward()
        optimizer.step()


if __name__ == "__main__":
    main()
