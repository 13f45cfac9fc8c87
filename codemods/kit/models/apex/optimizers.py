"""apex.optimizers: fused optimizers."""

from torch.optim import Optimizer


def __getattr__(name):
    return Optimizer
