from contextlib import nullcontext

import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def context(model, enabled):
    model = DDP(model)
    if not enabled:
        return nullcontext()
    return nullcontext()
