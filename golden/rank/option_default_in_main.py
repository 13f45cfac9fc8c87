import argparse
import os

import torch


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", default=os.getenv("LOCAL_RANK", 0), type=int)
    return parser.parse_args()


args = parse()
torch.distributed.init_process_group("nccl")
