"""Trains a small classifier in several processes; gradients of several batches are added up, then clipped.

    torchrun --standalone --nproc_per_node=8 train.py --accumulate 2
"""
import argparse
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


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
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        loss = F.cross_entropy(model(x), y) / args.accumulate
        loss.backward()
        if (i + 1) % args.accumulate == 0:
            nn.utils.clip_grad_norm_(model.parameters(), args.clip)
            optimizer.step()
            optimizer.zero_grad()


def train_two_losses(model, loader, optimizer, device, args):
    for x, y in loader:
        x, y = x.to(device, non_blocking=True), y.to(device, non_blocking=True)
        optimizer.zero_grad()
        F.cross_entropy(model(x), y).backward()
        (0.1 * model(-x).square().mean()).backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()


def train_from_zeros(model, loader, optimizer, device, args):
    for x, y in loader:
        optimizer.zero_grad(set_to_none=False)
        F.cross_entropy(model(x.to(device)), y.to(device)).backward()
        nn.utils.clip_grad_norm_(model.parameters(), args.clip)
        optimizer.step()


def main():
    args = parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    dist.init_process_group(backend="nccl")
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    torch.manual_seed(0)

    dataset = build_dataset()
    sampler = DistributedSampler(dataset, drop_last=True)
    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler, drop_last=True)
    model = nn.Sequential(nn.Linear(12, 16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    model = DistributedDataParallel(model, device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        train_one_epoch(model, loader, optimizer, device, args)
        train_two_losses(model, loader, optimizer, device, args)
        train_from_zeros(model, loader, optimizer, device, args)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
