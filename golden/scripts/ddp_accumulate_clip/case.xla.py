"""Trains a small classifier in several processes; gradients of several batches are added up, then clipped.

    torchrun --standalone --nproc_per_node=8 train.py --accumulate 2
"""
import argparse

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--accumulate", type=int, default=2)
    parser.add_argument("--clip", type=float, default=0.05)
    parser.add_argument("--lr", type=float, default=0.5)
    return parser.parse_args()


def build_dataset(n=128, dim=12):
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(n, dim, generator=generator)
    return TensorDataset(x, (x[:, :4].sum(1) > 0).long())


def train_one_epoch(model, loader, optimizer, device, args):
    optimizer.zero_grad()
    for i, (x, y) in enumerate(loader):
        loss = F.cross_entropy(model(x), y) / args.accumulate
        loss.backward()
        if (i + 1) % args.accumulate == 0:
            for group in optimizer.param_groups:
                for p in group["params"]:
                    if p.grad is not None:
                        p.grad = p.grad.clone()  # else clipping loses the average
            xm.reduce_gradients(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            optimizer.step()
            optimizer.zero_grad()


def train_two_losses(model, loader, optimizer, device, args):
    for x, y in loader:
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        (0.1 * model(-x).square().mean()).backward()
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad = p.grad.clone()  # else clipping loses the average
        xm.reduce_gradients(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()


def train_from_zeros(model, loader, optimizer, device, args):
    for x, y in loader:
        optimizer.zero_grad(set_to_none=False)
        F.cross_entropy(model(x), y).backward()
        for group in optimizer.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.grad = p.grad.clone()  # else clipping loses the average
        xm.reduce_gradients(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()


def main():
    args = parse_args()
    local_rank = xr.local_ordinal()
    device = torch_xla.device()
    torch.manual_seed(0)
    torch_xla.manual_seed(0)

    dataset = build_dataset()
    sampler = DistributedSampler(dataset, drop_last=True, num_replicas=xr.world_size(), rank=xr.global_ordinal())
    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    model = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        train_one_epoch(model, loader, optimizer, device, args)
        train_two_losses(model, loader, optimizer, device, args)
        train_from_zeros(model, loader, optimizer, device, args)
    xm.save(model.state_dict(), "model.pt")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
