"""What says whether there are several processes cannot be set: it is said. What torch or the environment says stays."""
import argparse
import os

import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--launcher", choices=["none", "pytorch"], default="none")
parser.add_argument("--backend", default="nccl")
parser.add_argument("--num-gpus", type=int, default=1)


def compared():
    args = parser.parse_args()
    if args.launcher != "none":
        dist.init_process_group("nccl")
    return args


def counted(args):
    if args.num_gpus > 1:
        dist.init_process_group("nccl")


def passed(distributed=False):
    if distributed:
        dist.init_process_group("nccl")


def frozen(cfg):
    cfg.freeze()
    if cfg.ddp:
        dist.init_process_group("nccl")


def by_the_environment():
    several = int(os.environ.get("WORLD_SIZE", "1")) > 1
    if several:
        dist.init_process_group("nccl")


def in_both_arms(args):
    if args.backend == "nccl":
        dist.init_process_group("nccl")
    else:
        dist.init_process_group("gloo")
