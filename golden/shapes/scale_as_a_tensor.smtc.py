import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch_xla.amp import GradScaler, autocast, syncfree


def main(loader, model, fp16):
    device = xm.xla_device()
    model = model.to(device)
    optimizer = syncfree.SGD(model.parameters(), lr=0.1)
    grad_scaler = GradScaler(enabled=fp16)
    loader = pl.MpDeviceLoader(loader, device)
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        with autocast(enabled=fp16):
            loss = torch.nn.functional.mse_loss(model(x), y)
        grad_scaler.scale(loss).backward()
        grad_scaler.step(optimizer)
        grad_scaler.update()
        if step % 100 == 0:
            print(step, grad_scaler._get_scale_async().item() if fp16 else 1.0)


def scales(loader, model):
    device = xm.xla_device()
    model = model.to(device)
    optimizer = syncfree.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        optimizer.zero_grad()
        scaler.scale(torch.nn.functional.mse_loss(model(x), y)).backward()
        before = scaler._get_scale_async()
        scaler.step(optimizer)
        scaler.update()
        xm.mark_step()
        if before.item() > scaler.get_scale():
            print("skipped")
