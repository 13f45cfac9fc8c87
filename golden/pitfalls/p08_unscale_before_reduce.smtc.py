"""Unscaled before the reduction, found_inf would differ between the processes and one of them skip its step."""
import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, autocast, syncfree


def worker(rank, dataset):
    device = xm.xla_device()
    model = torch.nn.Linear(16, 4).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = syncfree.Adam(model.parameters(), lr=1e-3)
    scaler = GradScaler()
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()),
        drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        with autocast():
            loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        gradients = xm._fetch_gradients(optimizer)
        xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()


def main():
    worker(xm.get_ordinal(), torch.load("data.pt", map_location="cpu"))


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
