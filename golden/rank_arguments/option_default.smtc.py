import argparse
import os

import torch
import torch_xla.core.xla_model as xm

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", default=int(os.environ.get("LOCAL_RANK", 0)), type=int)


def main():
    args = parser.parse_args()
    args.local_rank = xm.get_local_ordinal()
    torch.distributed.init_process_group("nccl")
    if args.local_rank == 0:
        print("first")


if __name__ == "__main__":
    main()
