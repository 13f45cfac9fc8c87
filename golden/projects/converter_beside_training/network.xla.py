import torch
import torch_xla


def build(device=None):
    xla_device = torch_xla.device()
    return torch.nn.Linear(4, 2).to(device or xla_device)
