import torch
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.runtime as xr


def init_distributed(cuda):
    world_size = xr.world_size()
    distributed = world_size > 1
    if distributed:
        backend = 'nccl' if cuda else 'gloo'
    return distributed


def barrier():
    if xr.world_size() > 1:
        xm.rendezvous("barrier")
    else:
        torch_xla.sync(wait=True)
