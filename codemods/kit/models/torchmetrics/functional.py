"""torchmetrics.functional: scores of one batch."""

from meaning import operator


def __getattr__(name):
    return operator("torchmetrics.functional." + name)
