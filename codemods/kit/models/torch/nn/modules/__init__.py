"""torch.nn.modules: the modules of torch.nn under their other name."""

from . import utils


def __getattr__(name):
    import torch.nn
    return getattr(torch.nn, name)
