import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

from loop import Guarded, Training


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--use_fp16", action="store_true")
    parser.add_argument("--guarded", action="store_true")
    args = parser.parse_args()
    dist.init_process_group("nccl")
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    torch.manual_seed(0)
    data = TensorDataset(torch.randn(256, 4), torch.randn(256, 1))
    loader = DataLoader(data, batch_size=16, sampler=DistributedSampler(data), drop_last=True)
    kind = Guarded if args.guarded else Training
    kind(nn.Linear(4, 1).cuda(), loader, args.use_fp16).run()


if __name__ == "__main__":
    main()
