import torch
import torch_xla.core.xla_model as xm


def init_distributed(cuda):
    world_size = xm.xrt_world_size()
    distributed = world_size > 1
    if distributed:
        backend = 'nccl' if cuda else 'gloo'
    return distributed


def barrier():
    if xm.xrt_world_size() > 1:
        xm.rendezvous("barrier")
    else:
        xm.mark_step()
        xm.wait_device_ops()
