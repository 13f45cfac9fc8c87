"""torch_geometric.transforms."""

from meaning import operator


def __getattr__(name):
    return operator("torch_geometric.transforms." + name)
