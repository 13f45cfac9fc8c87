import os

import torch
import torch.distributed as dist


def init_distributed(cuda):
    world_size = int(os.environ.get('WORLD_SIZE', 1))
    distributed = world_size > 1
    if distributed:
        backend = 'nccl' if cuda else 'gloo'
        dist.init_process_group(backend=backend, init_method='env://')
        assert dist.is_initialized()
    return distributed


def barrier():
    if dist.is_available() and dist.is_initialized():
        dist.barrier()
    elif torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()
