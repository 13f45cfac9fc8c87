import torch
from mylib import dist


def all_reduce(tensor):
    return tensor


dist.all_reduce(torch.ones(2))
all_reduce(torch.ones(2))
torch.ones(2).reduce(0)
