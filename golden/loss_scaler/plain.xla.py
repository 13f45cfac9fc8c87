import torch
import torch_xla.core.xla_model as xm
from timm.utils import NativeScaler


def plain(model, loader, optimizer):
    scaler = NativeScaler()
    for x, y in loader:
        loss = model(x.cuda(), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(optimizer)
