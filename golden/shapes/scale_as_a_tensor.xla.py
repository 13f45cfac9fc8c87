import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def main(loader, model, fp16):
    device = torch_xla.device()
    model = model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = pl.MpDeviceLoader(loader, device)
    for step, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        with torch.autocast("xla", dtype=torch.bfloat16, enabled=fp16):
            loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        xm.optimizer_step(optimizer)
        if step % 100 == 0:
            print(step, 1.0 if fp16 else 1.0)


def scales(loader, model):
    device = torch_xla.device()
    model = model.to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        before = torch.tensor(1.0)
        xm.optimizer_step(optimizer, barrier=True)
        if before.item() > 1.0:
            print("skipped")
