import torch
from timm.utils import NativeScaler


def train(model, loader, optimizer, options):
    scaler = NativeScaler()
    for x, y in loader:
        loss = model(x.cuda(), y.cuda())
        optimizer.zero_grad()
        scaler(loss, optimizer, **options)
