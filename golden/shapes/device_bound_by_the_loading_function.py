"""A module that is asked to load a model keeps it and its device in globals, and binds the device after its first use."""

import torch
from torch import nn

_model = None
_device = None


def load_model(path):
    global _model, _device
    _model = nn.Linear(4, 2)
    if torch.cuda.is_available():
        _model = _model.cuda()
        _device = torch.device("cuda")
    else:
        _device = torch.device("cpu")
    _model.load_state_dict(torch.load(path, _device))
    _model.eval()


def infer(x):
    if _model is None:
        raise RuntimeError("load a model first")
    with torch.no_grad():
        return _model(x.cuda())
