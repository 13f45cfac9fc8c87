import math

import torch
import torch_xla
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr


def nodes(group_size):
    per_node = xr.local_device_count()
    return math.ceil(group_size / per_node)


def train(model, batches):
    device = torch_xla.device()
    model = model.to(device)
    batches = pl.MpDeviceLoader(batches, device)
    for batch in batches:
        model(batch).mean().backward()
