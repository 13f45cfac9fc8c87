"""Clipping sees the averaged gradients, as it did under DistributedDataParallel."""

import torch
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train(model, loader, optimizer, device):
    for x, y in loader:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.5)
        optimizer.step()


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
    train(model, loader, optimizer, device)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
