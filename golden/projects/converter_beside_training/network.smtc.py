import torch
import torch_xla.core.xla_model as xm


def build(device=None):
    xla_device = xm.xla_device()
    return torch.nn.Linear(4, 2).to(device or xla_device)
