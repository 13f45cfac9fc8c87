import torch
from torch.utils.data import DataLoader, DistributedSampler, RandomSampler, TensorDataset
import torch_xla.runtime as xr


def get_loader(args):
    dataset = TensorDataset(torch.randn(64, 4), torch.randint(0, 2, (64,)))
    sampler = RandomSampler(dataset) if args.local_rank == -1 else DistributedSampler(
        dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal())
    return DataLoader(dataset, sampler=sampler, batch_size=8, num_workers=4)
