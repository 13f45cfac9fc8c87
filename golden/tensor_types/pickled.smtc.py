"""A lambda in a model could not be pickled."""

import copy

import torch
from torch import nn
import torch_xla.core.xla_model as xm


def make_float_tensor(*args):
    return torch.FloatTensor(*args).to(torch.device("xla"))


def make_long_tensor(*args):
    return torch.LongTensor(*args).to(torch.device("xla"))


# The encoder.
class Encoder(nn.Module):
    def __init__(self, args):
        super().__init__()
        if args.cuda:
            self.FloatTensor = make_float_tensor
        else:
            self.FloatTensor = torch.FloatTensor
        self.long = make_long_tensor if args.cuda else torch.LongTensor
        self.again: type = make_float_tensor
        self.zero = self.FloatTensor(1).zero_()
        device = xm.xla_device()
        local = (lambda *args: torch.HalfTensor(*args).to(device)) if args.half else (lambda *args: torch.FloatTensor(*args).to(device))
        self.half = local(2)


def save(model):
    torch.save(copy.deepcopy(model), "model.pt")
