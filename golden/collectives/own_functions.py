import torch
from my import dist


def barrier():
    pass


def all_reduce(tensor):
    return tensor


barrier()
dist.barrier()
dist.all_reduce(torch.zeros(1))
all_reduce(torch.zeros(1))
