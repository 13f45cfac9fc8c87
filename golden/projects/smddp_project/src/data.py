"""Builds the data loaders, one share of the training data per rank."""
import torch
import smdistributed.dataparallel.torch.distributed as dist
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def make_points(count, seed):
    generator = torch.Generator().manual_seed(seed)
    points = torch.randn(count, 2, generator=generator)
    return TensorDataset(points, (points.norm(dim=1) > 1.0).long())


def get_train_data_loader(batch_size, training_dir=None, **kwargs):
    dataset = make_points(48, seed=1)
    sampler = DistributedSampler(dataset, num_replicas=dist.get_world_size(), rank=dist.get_rank())
    return DataLoader(dataset, batch_size=batch_size, shuffle=False, sampler=sampler, drop_last=True, **kwargs)


def get_test_data_loader(test_batch_size, training_dir=None, **kwargs):
    return DataLoader(make_points(20, seed=2), batch_size=test_batch_size, shuffle=False, **kwargs)
