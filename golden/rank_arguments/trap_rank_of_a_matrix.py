"""The rank of an adapter's matrices is no rank of a process, and it has a default of its own."""
import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--rank", default=16, type=int)


def main():
    args = parser.parse_args()
    dist.init_process_group("nccl")
    if args.rank != 0:
        return torch.nn.Linear(8, args.rank)
    return None
