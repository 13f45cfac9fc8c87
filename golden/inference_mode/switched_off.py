import torch


def cache(module, x):
    with torch.inference_mode(False), torch.cuda.amp.autocast(enabled=False):
        return module(x)
