import os
import math

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def nodes(group_size):
    per_node = int(os.environ.get("GPU_NUM_DEVICES", "1"))
    return math.ceil(group_size / per_node)


def train(model, batches):
    device = xm.xla_device()
    model = model.to(device)
    batches = pl.MpDeviceLoader(batches, device)
    for batch in batches:
        model(batch).mean().backward()
