import torch
from torch import nn

# slower
class Norm(nn.LayerNorm):
    pass

Fast, FAST = nn.LayerNorm, False

from torch.optim import SGD as Momentum

try:
    from apex.normalization import FusedRMSNorm
except ImportError:
    raise ImportError("apex is needed")

net = nn.Sequential(nn.Linear(8, 8), Norm(8), Fast(8), FusedRMSNorm(8)).cuda()
