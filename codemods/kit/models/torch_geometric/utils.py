"""torch_geometric.utils."""

from meaning import operator


def __getattr__(name):
    return operator("torch_geometric.utils." + name)
