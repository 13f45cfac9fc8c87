"""Whether there are several processes is decided by an option that a person passed to each of them."""
import argparse

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--world-size", default=1, type=int)
parser.add_argument("--dist-url", default="tcp://224.66.41.62:23456")


def main():
    args = parser.parse_args()
    args.distributed = args.world_size > 1
    if args.distributed:
        dist.init_process_group("gloo", init_method=args.dist_url, world_size=args.world_size)
    sampler = None
    if args.distributed:
        sampler = torch.utils.data.distributed.DistributedSampler(dataset)
    return sampler
