import torch
from apex.parallel import convert_syncbn_model

try:
    from apex import amp
except ImportError:
    raise ImportError("install apex")

try:
    from apex import optimizers
    HAS_APEX = True
except ImportError:
    HAS_APEX = False


def train(model, data, optimizer):
    model(data).sum().backward()
    optimizer.step()
