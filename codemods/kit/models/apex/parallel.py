"""apex.parallel: a wrapper that averages gradients, batch norm over all processes."""

import torch
from torch.nn import SyncBatchNorm
from torch.nn.parallel import DistributedDataParallel as _Parallel


class DistributedDataParallel(_Parallel):
    def __init__(self, module, *given, **more):
        super().__init__(module)


def convert_syncbn_model(module, *given, **more):
    return SyncBatchNorm.convert_sync_batchnorm(module)


def __getattr__(name):
    return torch.optim.Optimizer
