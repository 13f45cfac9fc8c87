import argparse

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader, RandomSampler
from torch.utils.data.distributed import DistributedSampler


def loader(data):
    if dist.is_initialized():
        return DataLoader(data, 8, sampler=DistributedSampler(data))
    else:
        return DataLoader(data, 8, shuffle=True)


def sampler(data):
    return DistributedSampler(data) if dist.is_initialized() else RandomSampler(data)


def perhaps(data):
    if dist.is_initialized():
        return DataLoader(data, 8, sampler=DistributedSampler(data))
    return DataLoader(data, 8, shuffle=True)


def evaluate(data, device):
    total = sum(x.sum() for x in perhaps(data))
    if dist.is_initialized():
        total = torch.tensor(total, device=device)
        dist.all_reduce(total)
    return total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--alone", action="store_true")
    args = parser.parse_args()
    data = torch.randn(64, 4)
    if not args.alone:
        evaluate(data, "cuda")
    dist.init_process_group("nccl")
    is_dist = dist.is_initialized()
    for x in loader(data) if is_dist else ():
        print(x.sum(), len(sampler(data)))
    evaluate(data, "cuda")


if __name__ == "__main__":
    main()
