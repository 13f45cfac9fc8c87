"""Gradients travel once a step: the reduction belongs inside the condition of the accumulated step."""

import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, autocast, syncfree


def main(dataset, accumulation_steps=4):
    local_rank = xm.get_local_ordinal()
    device = xm.xla_device()
    model = torch.nn.Linear(16, 4).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = syncfree.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()),
        drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for i, (x, y) in enumerate(loader):
        with autocast():
            loss = torch.nn.functional.cross_entropy(model(x), y) / accumulation_steps
        scaler.scale(loss).backward()
        if (i + 1) % accumulation_steps == 0:
            gradients = xm._fetch_gradients(optimizer)
            xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()


def run():
    main(torch.load("data.pt", map_location="cpu"))


def _mp_fn(index):
    run()


if __name__ == "__main__":
    run()
