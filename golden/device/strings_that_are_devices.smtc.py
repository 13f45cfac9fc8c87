import torch
from torch import nn
import torch_xla.core.xla_model as xm

DEVICE = xm.xla_device()
config = {"lr": 0.1, "device": xm.xla_device()}


def build(width, where="xla"):
    return nn.Linear(width, 1).to(where)


def batches(n, dev):
    for _ in range(n):
        yield torch.randn(8, 4, device=dev)


model = build(4)
teacher = build(4, DEVICE)
bias = torch.zeros(1, device=config["device"])
for x in batches(3, DEVICE):
    print((model(x) - teacher(x) + bias).pow(2).mean())
