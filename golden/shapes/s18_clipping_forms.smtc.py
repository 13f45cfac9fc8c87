"""Gradients clipped by another function, by hand and by a helper: all of them see averaged gradients."""

import torch
from timm.utils import dispatch_clip_grad
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def clip_by_hand(model, bound):
    for p in model.parameters():
        if p.grad is not None:
            p.grad.data.clamp_(-bound, bound)


def main():
    local_rank = xm.get_local_ordinal()
    device = xm.xla_device()
    model = torch.nn.Linear(16, 4).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    dataset = torch.load("data.pt", map_location="cpu")
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()),
        drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        xm.reduce_gradients(optimizer)
        dispatch_clip_grad(model.parameters(), 1.0, mode="agc")
        optimizer.step()
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.cross_entropy(model(x), y).backward()
        xm.reduce_gradients(optimizer)
        clip_by_hand(model, 1.0)
        optimizer.step()


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
