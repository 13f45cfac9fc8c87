import functools

import torch.utils.checkpoint as recompute
from torch import nn


class Feed(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.wide, self.narrow = nn.Linear(width, 2 * width), nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.narrow(self.wide(x).relu())


class Stack(nn.Module):
    def __init__(self, width, depth, saving=False):
        super().__init__()
        self.feeds = nn.ModuleList([Feed(width) for _ in range(depth)])
        self.saving = saving

    def forward(self, x):
        for feed in self.feeds:
            if self.saving and self.training:
                feed = functools.partial(recompute.checkpoint, feed, use_reentrant=False)
            x = feed(x)
        return x
