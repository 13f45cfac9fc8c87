"""Gradients travel once a step: the reduction belongs inside the condition of the accumulated step."""

import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr


def main(dataset, accumulation_steps=4):
    local_rank = xr.local_ordinal()
    device = torch_xla.device()
    model = torch.nn.Linear(16, 4).to(device)
    xm.broadcast_master_param(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal()),
        drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for i, (x, y) in enumerate(loader):
        with torch.autocast("xla", dtype=torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(x), y) / accumulation_steps
        loss.backward()
        if (i + 1) % accumulation_steps == 0:
            xm.optimizer_step(optimizer)
            optimizer.zero_grad()


def run():
    main(torch.load("data.pt", map_location="cpu"))


def _mp_fn(index):
    run()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
