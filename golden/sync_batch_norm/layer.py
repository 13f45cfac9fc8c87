import torch.nn as nn
from torch.nn import SyncBatchNorm


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = SyncBatchNorm(width)
        self.other = nn.BatchNorm2d(width)
