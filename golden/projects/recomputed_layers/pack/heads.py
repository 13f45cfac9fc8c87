import torch.utils.checkpoint
from torch import nn


class Head(nn.Module):
    def __init__(self, width, classes, run=torch.utils.checkpoint.checkpoint):
        super().__init__()
        self.run = run
        self.inner, self.outer = nn.Linear(width, width), nn.Linear(width, classes)

    def forward(self, x):
        again = torch.utils.checkpoint.checkpoint
        x = again(self.inner, x, use_reentrant=False)
        return self.run(self.outer, x)
