import argparse

import torch
import torch.distributed as dist
import torch_xla.core.xla_model as xm

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", default=-1, type=int)
parser.add_argument("--world-size", default=-1, type=int)
parser.add_argument("--rank", default=-1, type=int)


def main():
    args = parser.parse_args()
    args.local_rank = xm.get_local_ordinal()
    torch.cuda.set_device(args.local_rank)
    args.rank = xm.get_ordinal()
    args.world_size = xm.xrt_world_size()
    dist.init_process_group("nccl", init_method=args.dist_url, world_size=args.world_size, rank=args.rank)
    lr = 0.1 * args.world_size
    if args.rank == 0:
        print(args.local_rank in [-1, 0], lr)
