"""Weights of layers that are as many as an option says have no name; a helper that nobody calls here ties others."""

import sys

import torch
from torch import nn


class Shared(nn.Module):
    def __init__(self, depth):
        super().__init__()
        self.encoder = nn.ModuleList(nn.Linear(4, 4) for _ in range(depth))
        self.decoder = nn.ModuleList(nn.Linear(4, 4) for _ in range(depth))
        for one, other in zip(self.encoder, self.decoder):
            other.weight = one.weight


def tie_towers(encoder, decoder):
    decoder.embeddings.weight = encoder.embeddings.weight


model = Shared(int(sys.argv[1]))
torch.__future__.set_swap_module_params_on_conversion(True)
model.to(torch.device("cuda"))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
