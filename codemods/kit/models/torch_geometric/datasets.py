"""torch_geometric.datasets: data sets of graphs."""

from .data import GraphDataset


def __getattr__(name):
    return GraphDataset
