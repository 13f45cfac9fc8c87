import torch
import torch.nn as nn


class Ema:
    def __init__(self, model):
        self.module = model


class Head(nn.Module):
    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return self.module(x)


class DistributedDataParallel:
    """The script's own."""


ema = Ema(nn.Linear(2, 2))
head = Head(nn.Linear(2, 2))
swa = torch.optim.swa_utils.AveragedModel(head)
print(ema.module, head.module, swa.module, hasattr(head, "module"), isinstance(head, DistributedDataParallel))
net = DistributedDataParallel(head)
