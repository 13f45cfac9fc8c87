"""torch_geometric.nn: layers on graphs, and how the nodes of a graph are put together."""

from meaning import leaf, operator
from torch.nn import Leaf, Module, Sequential

global_mean_pool = global_max_pool = global_add_pool = operator("torch_geometric.nn.global_pool")


class MessagePassing(Module):
    """A layer whose messages a program writes: what it gives depends on all that is in it."""

    def propagate(self, edge_index, *given, **more):
        return leaf(self, edge_index, *given, *more.values())

    edge_updater = propagate

    def reset_parameters(self):
        return None


def __getattr__(name):
    return Leaf
