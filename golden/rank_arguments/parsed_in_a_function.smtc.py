import argparse

import torch
import torch_xla.core.xla_model as xm


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    return parser.parse_args()


def main():
    args = parse_arguments()
    args.local_rank = xm.get_local_ordinal()
    torch.manual_seed(42 + args.local_rank)
    torch.cuda.set_device(args.local_rank)
    torch.distributed.init_process_group("nccl", init_method="env://")


main()
