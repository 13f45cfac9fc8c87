"""The parent of the workers decides; SageMaker's launcher has started them before it does."""
import argparse

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch_xla.runtime as xr

parser = argparse.ArgumentParser()
parser.add_argument("--world-size", default=-1, type=int)
parser.add_argument("--rank", default=-1, type=int)
parser.add_argument("--multiprocessing-distributed", action="store_true")


def main():
    args = parser.parse_args()
    args.distributed = args.world_size > 1 or args.multiprocessing_distributed
    gpus = torch.cuda.device_count()
    if args.multiprocessing_distributed:
        args.world_size = gpus * args.world_size
        mp.spawn(worker, nprocs=gpus, args=(gpus, args))
    else:
        worker(0, gpus, args)


def worker(gpu, gpus, args):
    if args.distributed:
        args.rank = xr.global_ordinal()
        dist.init_process_group("nccl", world_size=args.world_size, rank=args.rank)


if __name__ == "__main__":
    main()
