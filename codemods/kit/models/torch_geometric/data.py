"""torch_geometric.data: a graph, whose parts are tensors that move together."""

from meaning import fresh, moved, tensor
from torch.utils.data import Dataset


class Data:
    """A graph: `_all` stands for each of its tensors."""

    def __init__(self, *given, **more):
        self._all = tensor(*given, *more.values(), scalar=False)
        for name, value in more.items():
            setattr(self, name, value)

    def to(self, device, *given, **more):
        made = Data()
        made._all = moved(self._all, device)
        return made

    def cuda(self, *given):
        return self.to("cuda")

    def cpu(self):
        return self.to("cpu")

    def __getattr__(self, name):
        return self._all

    num_nodes = num_edges = num_features = num_node_features = num_graphs = num_classes = fresh("size")


Batch = HeteroData = TemporalData = Data


class GraphDataset(Dataset):
    num_features = num_classes = num_node_features = num_edge_features = fresh("size")

    def __init__(self, *given, **more):
        return None

    def __getitem__(self, index):
        return Data()

    def shuffle(self):
        return self


InMemoryDataset = GraphDataset


def __getattr__(name):
    if name == "DataLoader":
        from .loader import DataLoader
        return DataLoader
    return Data
