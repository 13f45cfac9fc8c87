import os

import torch
import torch.distributed as dist
import torch_xla


def main():
    dist.init_process_group("nccl")
    train(int(os.environ["LOCAL_RANK"]))


def _mp_fn(index):
    main()


if __name__ == "__main__":
    # torchrun starts this
    torch_xla.launch(_mp_fn)
