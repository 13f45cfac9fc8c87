from contextlib import contextmanager

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, autocast
from packaging.version import parse as V


def train(model, optimizer, batches, use_amp):
    device = xm.xla_device()
    model.to(device)
    scaler = GradScaler() if use_amp else None
    batches = pl.MpDeviceLoader(batches, device)
    for x, y in batches:
        optimizer.zero_grad()
        with autocast(enabled=scaler is not None):
            loss = torch.nn.functional.cross_entropy(model(x), y)
        if scaler is not None:
            scaler.scale(loss).backward()
            gradients = xm._fetch_gradients(optimizer)
            xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            xm.optimizer_step(optimizer)
