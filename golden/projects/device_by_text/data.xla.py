import torch
from torch.utils.data import TensorDataset
import torch_xla.distributed.parallel_loader as pl


def make_data(seed, count=40):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 4, generator=generator)
    return TensorDataset(x, (x.sum(1) > 0).long())


class DeviceLoader:
    """Moves each batch as it is asked for."""

    def __init__(self, loader, device):
        self.loader = loader
        self.device = device

    def __iter__(self):
        for batch in pl.MpDeviceLoader(self.loader, self.device):
            x, y = batch
            yield x, y

    def __len__(self):
        return len(self.loader)
