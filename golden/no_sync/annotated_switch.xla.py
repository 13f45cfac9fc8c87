import torch
from torch.nn.parallel import DistributedDataParallel


def prepare(model: DistributedDataParallel, output):
    return model.module(output)
