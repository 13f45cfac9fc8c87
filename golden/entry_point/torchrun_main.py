import os

import torch
import torch.distributed as dist


def main():
    dist.init_process_group("nccl")
    train(int(os.environ["LOCAL_RANK"]))


if __name__ == "__main__":
    # torchrun starts this
    main()
