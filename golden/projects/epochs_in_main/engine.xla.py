import torch
from torch import nn
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def train_one_epoch(model, loader, optimizer, device):
    model.train()
    loader = pl.MpDeviceLoader(loader, device)
    for x, y in loader:
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        xm.optimizer_step(optimizer)


def validate(model, loader, device):
    model.eval()
    right = torch.zeros((), device=device)
    with torch.no_grad():
        loader = pl.MpDeviceLoader(loader, device)
        for x, y in loader:
            right += (model(x).argmax(1) == y).sum()
    print(right.item())
