import functools

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, norm_layer=nn.SyncBatchNorm):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3)
        self.norm = norm_layer(width)


def build(distributed, width):
    norm_layer = nn.SyncBatchNorm if distributed else nn.BatchNorm2d
    thin = functools.partial(torch.nn.SyncBatchNorm, eps=1e-3)
    norms = {"batch": nn.BatchNorm2d, "sync": nn.SyncBatchNorm}
    return Block(width, norm_layer), thin, norms
