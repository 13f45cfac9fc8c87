import torch
import torch.nn as nn
from torch.nn.parallel import DataParallel, DistributedDataParallel


class Swa(nn.Module):
    pass


def unwrap(model):
    while isinstance(model, (DataParallel, DistributedDataParallel)):
        model = model.module
    return model


def is_parallel(model):
    return type(model) in (nn.DataParallel, nn.parallel.DistributedDataParallel)


def save(args):
    model = DistributedDataParallel(nn.Linear(2, 2))
    assert isinstance(model, DistributedDataParallel), "not wrapped"
    if hasattr(model, "module"):
        state = model.module.state_dict()
    else:
        state = model.state_dict()
    if isinstance(model, DistributedDataParallel) and args.verbose:
        print("wrapped")
    elif args.verbose or not isinstance(model, DistributedDataParallel):
        print("plain")
    if isinstance(model, (DistributedDataParallel, Swa)): state = None
    wrapped = hasattr(model, "module")
    torch.save(state if not is_parallel(model) else model.module.state_dict(), "x.pt")
