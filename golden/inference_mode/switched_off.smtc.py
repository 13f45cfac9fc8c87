import torch


def cache(module, x):
    with torch.enable_grad(), torch.cuda.amp.autocast(enabled=False):
        return module(x)
