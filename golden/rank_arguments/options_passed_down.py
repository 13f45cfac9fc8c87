import argparse

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def init_distributed(n_gpus, rank, group_name):
    torch.cuda.set_device(rank % torch.cuda.device_count())
    dist.init_process_group("nccl", world_size=n_gpus, rank=rank, group_name=group_name)


def train(output, n_gpus, rank, group_name, dataset):
    if n_gpus > 1:
        init_distributed(n_gpus, rank, group_name)
    sampler = DistributedSampler(dataset) if n_gpus > 1 else None
    for x in DataLoader(dataset, sampler=sampler):
        if rank == 0:
            print(output, x)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output")
    parser.add_argument("--n_gpus", type=int, default=1)
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--group_name", default="group")
    args = parser.parse_args()
    train(args.output, args.n_gpus, args.rank, args.group_name, range(8))
