"""Unscaled before the reduction, found_inf would differ between the processes and one of them skip its step."""
import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr


def worker(rank, dataset):
    device = torch_xla.device()
    model = torch.nn.Linear(16, 4).to(device)
    xm.broadcast_master_param(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal()),
        drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        with torch.autocast("xla", dtype=torch.bfloat16):
            loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()


if __name__ == "__main__":
    torch_xla.launch(worker, args=(torch.load("data.pt", map_location="cpu"),))
