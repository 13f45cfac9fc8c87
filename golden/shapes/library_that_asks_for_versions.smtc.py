import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from packaging.version import parse as V

settings = {}
if V(torch.__version__) >= V("1.10.0"):
    if torch.cuda.is_bf16_supported():
        settings = {"dtype": torch.bfloat16}
else:

    def autocast(enabled=True):
        yield


def train(model, optimizer, batches):
    device = xm.xla_device()
    model = model.to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    batches = pl.MpDeviceLoader(batches, device)
    for x, y in batches:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss *= xm.xrt_world_size()
        loss.backward()
        xm.optimizer_step(optimizer)
