import torch
from torch import nn
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


class Gen(nn.Linear):
    def __init__(self):
        super().__init__(4, 4)

    def infer(self, x, max_len):
        return self(x)[:, :max_len]


class Dis(nn.Linear):
    def __init__(self):
        super().__init__(4, 1)


def loaders(rank, n):
    data = torch.randn(64, 4, generator=torch.Generator().manual_seed(0))
    return DataLoader(data, batch_size=8, sampler=DistributedSampler(data, n, rank)), DataLoader(data, batch_size=8)
