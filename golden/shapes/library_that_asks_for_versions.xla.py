import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr
from packaging.version import parse as V

settings = {}
if V(torch.__version__) >= V("1.10.0"):
    if xr.is_bf16_supported():
        settings = {"dtype": torch.bfloat16}
else:

    def autocast(enabled=True):
        yield


def train(model, optimizer, batches):
    device = torch_xla.device()
    model = model.to(device)
    xm.broadcast_master_param(model)
    batches = pl.MpDeviceLoader(batches, device)
    for x, y in batches:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss *= xr.world_size()
        loss.backward()
        xm.optimizer_step(optimizer)
