"""A helper shares the keys of two layers each, of as many as a file says."""

import json

import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)


class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.layer = nn.ModuleList([Layer(config["width"]) for _ in range(config["layers"])])
        for at in range(6):
            first, second = self.layer[at * 2]._modules, self.layer[at * 2 + 1]._modules
            for name in first.keys():
                if "key" in name:
                    first[name].weight = second[name].weight


model = Net(json.load(open("config.json")))
torch.__future__.set_swap_module_params_on_conversion(True)
model.to(torch.device("cuda"))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
