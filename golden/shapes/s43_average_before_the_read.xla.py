import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from collections import OrderedDict


@torch.no_grad()
def update_ema(ema_model, model, decay=0.9999):
    params = OrderedDict(model.named_parameters())
    for name, param in ema_model.named_parameters():
        ema_model_param = param.mul_(decay).add_(params[name].data, alpha=1 - decay)


def train(model, ema, loader, opt, device, log_every):
    xla_device = torch_xla.device()
    model, ema = model.to(xla_device), ema.to(xla_device)
    running_loss, log_steps = 0, 0
    loader = pl.MpDeviceLoader(loader, xla_device)
    for x, y in loader:
        loss = model(x, y).mean()
        opt.zero_grad()
        loss.backward()
        xm.optimizer_step(opt)
        update_ema(ema, model)
        torch_xla.sync()

        running_loss += loss.item()
        log_steps += 1
        if log_steps % log_every == 0:
            print(running_loss / log_steps)


def accumulate(model, model_ema, loader, opt, every):
    device = torch_xla.device()
    model = model.to(device)
    total = 0.0
    loader = pl.MpDeviceLoader(loader, device)
    for i, (x, y) in enumerate(loader):
        loss = model(x, y).mean() / every
        loss.backward()
        if (i + 1) % every == 0:
            xm.optimizer_step(opt)
            opt.zero_grad()
            if model_ema is not None:
                model_ema.update(model)
        torch_xla.sync()
        total += loss.item()
    return total
