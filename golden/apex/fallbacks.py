import torch
from torch import nn

try:
    from apex.normalization import FusedLayerNorm as Norm
    print("layers of apex")
except ImportError:
    # slower
    class Norm(nn.LayerNorm):
        pass

try:
    from apex.contrib.layer_norm import FastLayerNorm
    Fast, FAST = FastLayerNorm, True
except (ImportError, AttributeError):
    Fast, FAST = nn.LayerNorm, False

try:
    from apex.optimizers import FusedSGD as Momentum
except:
    from torch.optim import SGD as Momentum

try:
    from apex import multi_tensor_apply
    from apex.normalization import FusedRMSNorm
except ImportError:
    raise ImportError("apex is needed")

net = nn.Sequential(nn.Linear(8, 8), Norm(8), Fast(8), FusedRMSNorm(8)).cuda()
