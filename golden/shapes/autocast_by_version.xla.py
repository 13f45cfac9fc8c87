from contextlib import contextmanager

import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from packaging.version import parse as V

if V(torch.__version__) >= V("1.6.0"):
    from torch.cuda.amp import GradScaler
else:
    # Nothing to do if torch<1.6.0
    @contextmanager
    def autocast(enabled=True):
        yield

    GradScaler = None


def train(model, optimizer, batches, use_amp):
    device = torch_xla.device()
    model.to(device)
    scaler = GradScaler() if use_amp else None
    batches = pl.MpDeviceLoader(batches, device)
    for x, y in batches:
        optimizer.zero_grad()
        with torch.autocast("xla", dtype=torch.bfloat16, enabled=scaler is not None):
            loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        xm.optimizer_step(optimizer)
