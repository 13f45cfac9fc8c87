"""torch_geometric.nn: layers on graphs, and how the nodes of a graph are put together."""

from meaning import operator
from torch.nn import Leaf, Sequential

global_mean_pool = global_max_pool = global_add_pool = operator("torch_geometric.nn.global_pool")


def __getattr__(name):
    return Leaf
