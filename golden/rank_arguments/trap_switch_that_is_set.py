import argparse
import os

import torch
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--dist", action="store_true")
parser.add_argument("--debug", action="store_true")


def main():
    args = parser.parse_args()
    args.dist = dist.is_torchelastic_launched()
    if args.dist:
        dist.init_process_group("nccl")
    if args.debug:
        print(args)
