import argparse
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch_xla.runtime as xr

parser = argparse.ArgumentParser()
parser.add_argument("--dist-url", default="tcp://localhost:58472")


def main():
    args = parser.parse_args()
    if "SLURM_JOB_ID" in os.environ:
        args.dist_url = "tcp://" + os.getenv("SLURM_JOB_NODELIST") + ":58472"
    else:
        args.rank = 0
    mp.spawn(main_worker, (args,), args.ngpus_per_node)


def main_worker(gpu, args):
    args.world_size = xr.world_size()
    args.rank += gpu
    dist.init_process_group(backend="nccl", init_method=args.dist_url, world_size=args.world_size, rank=args.rank)
    if args.rank == 0:
        print("batch of", 256 // args.world_size)
    torch.cuda.set_device(gpu)


if __name__ == "__main__":
    main()
