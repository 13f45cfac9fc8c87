"""A lambda in a model could not be pickled."""

import copy

import torch
from torch import nn


# The encoder.
class Encoder(nn.Module):
    def __init__(self, args):
        super().__init__()
        if args.cuda:
            self.FloatTensor = torch.cuda.FloatTensor
        else:
            self.FloatTensor = torch.FloatTensor
        self.long = torch.cuda.LongTensor if args.cuda else torch.LongTensor
        self.again: type = torch.cuda.FloatTensor
        self.zero = self.FloatTensor(1).zero_()
        local = torch.cuda.HalfTensor if args.half else torch.cuda.FloatTensor
        self.half = local(2)


def save(model):
    torch.save(copy.deepcopy(model), "model.pt")
