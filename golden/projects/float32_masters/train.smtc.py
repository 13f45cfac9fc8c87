import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm

from loop import Guarded, Training


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--use_fp16", action="store_true")
    parser.add_argument("--guarded", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(0)
    xm.set_rng_state(0)
    data = TensorDataset(torch.randn(256, 4), torch.randn(256, 1))
    loader = DataLoader(
        data,
        batch_size=16,
        sampler=DistributedSampler(data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()),
        drop_last=True)
    kind = Guarded if args.guarded else Training
    device = xm.xla_device()
    kind(nn.Linear(4, 1).to(device), loader, args.use_fp16).run()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
