import torch
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.runtime as xr


def get_loader(split):
    data = TensorDataset(torch.randn(64, 4), torch.randint(2, (64,)))
    if split == "train":
        train_sampler = torch.utils.data.distributed.DistributedSampler(
            data, num_replicas=xr.world_size(), rank=xr.global_ordinal()
        )
        return DataLoader(data, batch_size=8 // xr.world_size(), sampler=train_sampler)
    return DataLoader(data, batch_size=8, shuffle=False)
