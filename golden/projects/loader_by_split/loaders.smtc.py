import torch
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm


def get_loader(split):
    data = TensorDataset(torch.randn(64, 4), torch.randint(2, (64,)))
    if split == "train":
        train_sampler = torch.utils.data.distributed.DistributedSampler(
            data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
        )
        return DataLoader(data, batch_size=8 // xm.xrt_world_size(), sampler=train_sampler)
    return DataLoader(data, batch_size=8, shuffle=False)
