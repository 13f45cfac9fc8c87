import os

import torch
import torch.distributed as dist
import torch_xla.runtime as xr


def init_distributed(cuda):
    world_size = int(os.environ.get('WORLD_SIZE', 1))
    distributed = world_size > 1
    if distributed:
        backend = 'nccl' if cuda else 'gloo'
    return distributed


def barrier():
    if xr.world_size() > 1:
        dist.barrier()
    elif torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
