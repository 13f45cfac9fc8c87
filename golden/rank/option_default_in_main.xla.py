import argparse

import torch
import torch_xla.runtime as xr


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", default=xr.local_ordinal(), type=int)
    return parser.parse_args()


args = parse()
torch.distributed.init_process_group("nccl")
