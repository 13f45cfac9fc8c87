"""Migrated by hand to DistributedDataParallel over torch_xla's own process group: it reduces in its backward."""
import torch
import torch.distributed as dist
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.distributed.xla_backend
from torch.nn.parallel import DistributedDataParallel as DDP


def _mp_fn(index, ddp, loader):
    if ddp:
        dist.init_process_group("xla", init_method="xla://")
    device = xm.xla_device()
    model = torch.nn.Linear(10, 2).to(device)
    if ddp:
        model = DDP(model, gradient_as_bucket_view=True)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loss_fn = torch.nn.CrossEntropyLoss()
    for data, target in pl.MpDeviceLoader(loader, device):
        optimizer.zero_grad()
        loss = loss_fn(model(data), target)
        loss.backward()
        if ddp:
            optimizer.step()
        else:
            xm.optimizer_step(optimizer)
