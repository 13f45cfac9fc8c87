"""torch.nn.init."""

from meaning import operator


def __getattr__(name):
    return operator("torch.nn.init." + name)
