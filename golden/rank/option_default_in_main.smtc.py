import argparse

import torch
import torch_xla.core.xla_model as xm


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", default=xm.get_local_ordinal(), type=int)
    return parser.parse_args()


args = parse()
torch.distributed.init_process_group("nccl")
