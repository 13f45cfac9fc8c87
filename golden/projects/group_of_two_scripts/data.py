"""One script always has a process group, the other only where a launcher starts it."""

import torch.distributed as dist
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def get_data_loader(tensor, mode="train"):
    dataset = TensorDataset(tensor)
    shuffle = mode == "train"
    if dist.is_initialized():
        sampler = DistributedSampler(dataset, shuffle=shuffle)
        loader = DataLoader(dataset, batch_size=8, sampler=sampler, drop_last=shuffle)
    else:
        loader = DataLoader(dataset, batch_size=8, shuffle=shuffle, drop_last=shuffle)
    return loader
