"""One option under two names, which the launcher of PyTorch passes as --local_rank: samplers and guards ask it."""
import argparse
import os
import sys

import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rank", "--local_rank", default=0, type=int)
    args = parser.parse_args()
    args.rank = xm.get_ordinal()
    torch.cuda.set_device(args.rank)
    args.world_size = int(os.environ["WORLD_SIZE"])
    torch.distributed.init_process_group("nccl", init_method="env://")
    if args.rank != 0:
        sys.stdout = open(os.devnull, "w")
    data = list(range(100))
    sampler = DistributedSampler(data, num_replicas=args.world_size, rank=args.rank)
    config = vars(args)
    for batch in DataLoader(data, batch_size=4, sampler=sampler):
        print(batch, config["rank"])


if __name__ == "__main__":
    main()
