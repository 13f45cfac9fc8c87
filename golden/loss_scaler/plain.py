import torch
from timm.utils import NativeScaler


def plain(model, loader, optimizer):
    scaler = NativeScaler()
    for x, y in loader:
        loss = model(x.cuda(), y.cuda())
        optimizer.zero_grad()
        scaler(loss, optimizer)
