import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def shift(self, x):
        return x + torch.ones(8).cuda()

    def forward(self, x):
        return self.shift(self.layer(x))
