"""Trains under a launcher of the project's own, which is given the function that each process runs."""

import argparse

import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from engine import launch


def make_parser():
    parser = argparse.ArgumentParser()
    parser.add_argument("--devices", type=int, default=None)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    return parser


def main(local_rank, args):
    torch.manual_seed(args.seed)
    torch.cuda.set_device(local_rank)
    model = DDP(nn.Linear(8, 2).cuda(), device_ids=[local_rank])
    dataset = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, drop_last=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


if __name__ == "__main__":
    args = make_parser().parse_args()
    launch(main, args.devices, args=(args,))
