import torch

try:
    import deepspeed
except ImportError:
    deepspeed = None
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP


def wrap(args, model):
    if args.fsdp:
        model = FSDP(model)
    elif args.deepspeed:
        model, *_ = deepspeed.initialize(model=model)
    return model
