"""A model with a device of the module: nothing may be made on it before the processes are there."""

import torch
import torch.nn as nn
import torch_xla


class Reader(nn.Module):
    def __init__(self, inputs, classes):
        super().__init__()
        self.inputs = nn.Linear(inputs, 8)
        self.outputs = nn.Linear(8, classes)

    def forward(self, x):
        device = torch_xla.device()
        hidden = torch.zeros(x.size(0), 8).to(device)
        return self.outputs(torch.tanh(self.inputs(x) + hidden))
