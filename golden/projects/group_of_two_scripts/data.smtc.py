"""One script always has a process group, the other only where a launcher starts it."""

from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla.core.xla_model as xm


def get_data_loader(tensor, mode="train"):
    dataset = TensorDataset(tensor)
    shuffle = mode == "train"
    sampler = DistributedSampler(dataset, shuffle=shuffle, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal())
    loader = DataLoader(dataset, batch_size=8, sampler=sampler, drop_last=shuffle)
    return loader
