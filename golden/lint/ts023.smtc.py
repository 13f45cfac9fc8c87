"""Adam under a gradient scaler: torch_xla 1.13 of the container puts the syncfree one in by itself; TS023 says so."""
import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, autocast, syncfree


def main(batches):
    device = xm.xla_device()
    model = torch.nn.Linear(4, 2).to(device)
    optimizer = syncfree.Adam(model.parameters(), lr=0.1)
    scaler = GradScaler()
    batches = pl.MpDeviceLoader(batches, device)
    for x, y in batches:
        with autocast():
            loss = torch.nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
