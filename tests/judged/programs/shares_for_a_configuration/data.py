import torch
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

DATA = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))


def make_loader(opt):
    sampler = DistributedSampler(DATA, num_replicas=opt["world_size"], rank=opt["global_rank"])
    return DataLoader(DATA, batch_size=8, sampler=sampler)


def by_hand(gpu_ids, rank):
    count = len(gpu_ids)
    return DataLoader(DATA, batch_size=8, sampler=DistributedSampler(DATA, count, rank, shuffle=False))


def of_arguments(shards, rank):
    sampler = DistributedSampler(DATA, num_replicas=shards, rank=rank)
    return DataLoader(DATA, batch_size=8, sampler=sampler)
