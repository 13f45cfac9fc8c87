import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train(model, loader, plain):
    device = xm.xla_device()
    optimizer = torch.optim.SGD(model.to(device).parameters(), lr=0.1)
    for x, y in pl.MpDeviceLoader(loader, device):
        model(x, y).backward()
        xm.optimizer_step(optimizer)
    for x, y in plain:
        model(x.to(device), y.to(device)).backward()
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        xm.mark_step()
    for x, y in plain:
        model(x.to(device), y.to(device)).backward()
        xm.optimizer_step(optimizer, barrier=True)
