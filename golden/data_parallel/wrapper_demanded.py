import torch
from torch.nn.parallel import DistributedDataParallel as DDP


def no_sync(module, enabled):
    if not isinstance(module, DDP):
        raise TypeError("wrap the module first")
    return module.no_sync()


def state(module):
    if not hasattr(module, "module") or type(module) is not DDP:
        raise TypeError("wrap the module first")
    else:
        return module.module.state_dict()


def build(net):
    assert isinstance(net, torch.nn.Module)
    model = DDP(net.cuda())
    if not isinstance(model, (DDP, torch.nn.DataParallel)):
        message = "no wrapper"
        raise RuntimeError(message)
    return model
