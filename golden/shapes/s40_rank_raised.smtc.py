import argparse
import os

import torch
import torch_xla.core.xla_model as xm

parser = argparse.ArgumentParser()
parser.add_argument("--dist-url", default="tcp://localhost:58472")


def main():
    args = parser.parse_args()
    if "SLURM_JOB_ID" in os.environ:
        args.dist_url = "tcp://" + os.getenv("SLURM_JOB_NODELIST") + ":58472"
    else:
        args.rank = 0
    main_worker(xm.get_local_ordinal(), args)


def main_worker(gpu, args):
    args.world_size = xm.xrt_world_size()
    args.rank = xm.get_ordinal()
    if args.rank == 0:
        print("batch of", 256 // args.world_size)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
