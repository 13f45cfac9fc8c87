import torch
from torch.nn.parallel._functions import Gather
from torch.nn.parallel.scatter_gather import scatter_kwargs


def gather(outputs, target_device, dim=0):
    return Gather.apply(target_device, dim, *outputs)


def scatter(inputs, kwargs, devices):
    return scatter_kwargs(inputs, kwargs, devices)
