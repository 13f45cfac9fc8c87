import torch
from torch_xla.amp import autocast


def norm(x):
    with autocast(enabled=False):
        return torch.nn.functional.layer_norm(x, (2,))


def run(model, x):
    with autocast(dtype=torch.float16):
        return model(x)
