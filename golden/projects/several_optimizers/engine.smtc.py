"""Steps every optimizer of a dict or a list that another file makes."""

import torch
from torch.nn.functional import cross_entropy
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def step_all(optimizers):
    for optimizer in optimizers:
        optimizer.step()


def train(model, loader, optimizers, device):
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        for opt in optimizers.values():
            opt.zero_grad()
        loss = cross_entropy(model(x), y)
        loss.backward()
        for opt in optimizers.values():
            xm.reduce_gradients(opt)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for opt in optimizers.values():
            opt.step()
    return loss


def fine_tune(model, loader, optimizers, device):
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        model.zero_grad()
        loss = cross_entropy(model(x), y)
        loss.backward()
        for optimizer in optimizers:
            xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        step_all(optimizers)
    return loss
