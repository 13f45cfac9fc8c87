import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

from repeated import RepeatedDataLoader, RepeatedDistributedSampler


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=xr.local_ordinal())
    parser.add_argument("--repeats", type=int, default=2)
    return parser.parse_args()


def main():
    args = parse_args()
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    dataset = TensorDataset(torch.randn(32, 4), torch.randint(0, 2, (32,)))
    sampler = RepeatedDistributedSampler(args.repeats, dataset, drop_last=True)
    device = torch_xla.device()
    loader = RepeatedDataLoader(args.repeats, dataset, batch_size=4, drop_last=True, sampler=sampler)
    loader = pl.MpDeviceLoader(loader, device)
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for input, target in loader:
        loss = F.cross_entropy(model(input), target)
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)
    if args.local_rank == 0:
        print(f"loss {loss.item():.4f}")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
