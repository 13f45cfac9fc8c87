"""Written for torchrun: another codemod's."""
import os

import torch
import torch.distributed as dist

dist.init_process_group("nccl")


def main():
    print(int(os.environ["RANK"]), torch.cuda.device_count())
