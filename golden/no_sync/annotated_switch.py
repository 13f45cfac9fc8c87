import torch
from torch.nn.parallel import DistributedDataParallel


def prepare(model: DistributedDataParallel, output):
    if torch.is_grad_enabled() and model.require_backward_grad_sync:
        model.require_forward_param_sync = True
    else:
        model.require_forward_param_sync = False
    with model.no_sync():
        return model.module(output)
