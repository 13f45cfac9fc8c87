import torch
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


class MyDDP(DDP):
    def __getattr__(self, name):
        return getattr(self.module, name)


def wrap(model: DDP, kwargs, group):
    wrapper = DDP if group else nn.DataParallel
    a = DDP(**kwargs)
    b = DDP(model, process_group=group)
    replicas = nn.parallel.replicate(model, [0, 1])
    return wrapper(a), b, replicas


def export(model, loader):
    model.eval()
    for x in loader:
        model(x)
    return model.module.state_dict()
