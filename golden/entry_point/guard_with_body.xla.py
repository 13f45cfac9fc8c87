import argparse

import torch
import torch.distributed as dist
import torch_xla


def train(lr):
    print(args.local_rank, lr)


def main():
    global args
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int)
    args = parser.parse_args()
    dist.init_process_group(backend="nccl")
    train(0.1)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
