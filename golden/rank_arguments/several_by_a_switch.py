"""A switch of the command line says whether the script was started in several processes."""
import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--dist", action="store_true")


def main():
    args = parser.parse_args()
    if args.dist:
        dist.init_process_group("nccl")
        torch.cuda.set_device(dist.get_rank())
    return torch.utils.data.distributed.DistributedSampler(dataset) if args.dist else None
