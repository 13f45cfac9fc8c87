import functools

from torch import nn
from torch_xla.utils.checkpoint import checkpoint


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
                feed = functools.partial(checkpoint, feed)
            x = feed(x)
        return x
