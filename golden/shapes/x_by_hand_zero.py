"""Migrated by hand to an optimizer of torch_xla that shards its state and reduces in its own step."""
import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.distributed.zero_redundancy_optimizer import ZeroRedundancyOptimizer


def _mp_fn(index, loader):
    device = xm.xla_device()
    model = torch.nn.Linear(10, 2).to(device)
    optimizer = ZeroRedundancyOptimizer(model.parameters(), torch.optim.SGD, lr=0.1)
    loss_fn = torch.nn.CrossEntropyLoss()
    for data, target in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        loss_fn(model(data), target).backward()
        optimizer.step()
