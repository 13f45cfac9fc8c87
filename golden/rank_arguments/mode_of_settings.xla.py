"""Settings say whether there are several processes, in all the ways that they are kept."""
import argparse
import json

import torch
import torch.distributed as dist
import torch_xla.runtime as xr
from settings import cfg, load

parser = argparse.ArgumentParser()
parser.add_argument("--dist", default=False)
parser.add_argument("--multi-gpu", action="store_true")
parser.add_argument("--launcher", choices=["none", "pytorch"], default="none")


def of_the_command_line():
    opt = load("settings.yml")
    opt["dist"] = xr.world_size() > 1
    if opt["dist"]:
        dist.init_process_group("nccl")
    return torch.utils.data.distributed.DistributedSampler(dataset) if opt["dist"] else None


def of_a_file(path):
    with open(path) as file:
        opt = json.load(file)
    opt["train"]["dist"] = xr.world_size() > 1
    if opt["train"]["dist"]:
        dist.init_process_group("nccl")
    return opt


def by_a_name():
    args = parser.parse_args()
    args.multi_gpu = xr.world_size() > 1
    several = args.multi_gpu
    if several and torch.cuda.is_available():
        dist.init_process_group("nccl")
    return args


def by_a_launcher(args, opt):
    if args.launcher == "none":
        opt["dist"] = False
        print("one process")
    else:
        opt["dist"] = True
        dist.init_process_group("nccl")
    opt["dist"] = xr.world_size() > 1
    return opt


def of_another_file():
    cfg.DISTRIBUTED = xr.world_size() > 1
    if cfg.DISTRIBUTED:
        dist.init_process_group("nccl")


class Trainer:
    def __init__(self, opt):
        opt["dist"] = xr.world_size() > 1
        self.distributed = opt["dist"]
        if self.distributed:
            dist.init_process_group("nccl")
