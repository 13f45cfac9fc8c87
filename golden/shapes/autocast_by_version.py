from contextlib import contextmanager

import torch
from packaging.version import parse as V

if V(torch.__version__) >= V("1.6.0"):
    from torch.cuda.amp import GradScaler, autocast
else:
    # Nothing to do if torch<1.6.0
    @contextmanager
    def autocast(enabled=True):
        yield

    GradScaler = None


def train(model, optimizer, batches, use_amp):
    model.cuda()
    scaler = GradScaler() if use_amp else None
    for x, y in batches:
        x, y = x.cuda(), y.cuda()
        optimizer.zero_grad()
        with autocast(scaler is not None):
            loss = torch.nn.functional.cross_entropy(model(x), y)
        if scaler is not None:
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
        else:
            loss.backward()
            optimizer.step()
