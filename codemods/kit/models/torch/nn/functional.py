"""torch.nn.functional."""

from meaning import operator


def __getattr__(name):
    return operator("torch.nn.functional." + name)
