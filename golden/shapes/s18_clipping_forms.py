"""Gradients clipped by another function, by hand and by a helper: all of them see averaged gradients."""
import os

import torch
import torch.distributed as dist
from timm.utils import dispatch_clip_grad
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def clip_by_hand(model, bound):
    for p in model.parameters():
        if p.grad is not None:
            p.grad.data.clamp_(-bound, bound)


def main():
    dist.init_process_group(backend="nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    model = DDP(torch.nn.Linear(16, 4).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    dataset = torch.load("data.pt")
    loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset), drop_last=True)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
        dispatch_clip_grad(model.parameters(), 1.0, mode="agc")
        optimizer.step()
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
        clip_by_hand(model, 1.0)
        optimizer.step()


if __name__ == "__main__":
    main()
