from tools import checkpoint
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x):
        return checkpoint(self.second, self.first(x))
