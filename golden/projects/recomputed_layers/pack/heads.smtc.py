import torch.utils.checkpoint
from torch import nn
from torch_xla.utils.checkpoint import checkpoint


class Head(nn.Module):
    def __init__(self, width, classes, run=checkpoint):
        super().__init__()
        self.run = run
        self.inner, self.outer = nn.Linear(width, width), nn.Linear(width, classes)

    def forward(self, x):
        again = checkpoint
        x = again(self.inner, x)
        return self.run(self.outer, x)
