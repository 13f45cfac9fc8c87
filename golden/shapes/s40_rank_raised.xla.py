import argparse
import os

import torch
import torch_xla
import torch_xla.runtime as xr

parser = argparse.ArgumentParser()
parser.add_argument("--dist-url", default="tcp://localhost:58472")


def main():
    args = parser.parse_args()
    if "SLURM_JOB_ID" in os.environ:
        args.dist_url = "tcp://" + os.getenv("SLURM_JOB_NODELIST") + ":58472"
    else:
        args.rank = 0
    torch_xla.launch(main_worker, args=(args,))


def main_worker(gpu, args):
    args.world_size = xr.world_size()
    args.rank = xr.global_ordinal()
    if args.rank == 0:
        print("batch of", 256 // args.world_size)


if __name__ == "__main__":
    main()
