import argparse

import torch
import torch.distributed as dist
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm


def loader(data):
    return DataLoader(data, 8, sampler=DistributedSampler(data))


def sampler(data):
    return DistributedSampler(data)


def perhaps(data):
    if xm.xrt_world_size() > 1:
        return DataLoader(data, 8, sampler=DistributedSampler(data))
    return DataLoader(data, 8, shuffle=True)


def evaluate(data, device):
    total = sum(x.sum() for x in perhaps(data))
    if xm.xrt_world_size() > 1:
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
    is_dist = True
    for x in loader(data) if is_dist else ():
        print(x.sum(), len(sampler(data)))
    evaluate(data, "cuda")


if __name__ == "__main__":
    main()
