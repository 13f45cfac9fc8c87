"""What is compared with one is not what the process group was made with, or is known by then."""
import argparse
import os

import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--world-size", default=1, type=int)
parser.add_argument("--workers", default=1, type=int)


def main():
    args = parser.parse_args()
    several_workers = args.workers > 1
    args.world_size = int(os.environ["WORLD_SIZE"])
    distributed = args.world_size > 1
    if distributed:
        dist.init_process_group("nccl", world_size=args.world_size)
    return several_workers
