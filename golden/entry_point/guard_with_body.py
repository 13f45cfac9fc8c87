import argparse

import torch
import torch.distributed as dist


def train(lr):
    print(args.local_rank, lr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int)
    args = parser.parse_args()
    dist.init_process_group(backend="nccl")
    train(0.1)
