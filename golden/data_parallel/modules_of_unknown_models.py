import copy

import torch
from torch import nn


class Checkpoints:
    def __init__(self, data_parallel=False, **modules):
        self.modules, self.data_parallel = modules, data_parallel

    def save(self, path):
        state = {}
        for name, network in self.modules.items():
            if self.data_parallel:
                state[name] = network.module.state_dict()
            else:
                state[name] = network.state_dict()
        torch.save(state, path)

    def best(self, average_model, networks):
        kept = copy.deepcopy(average_model.module)
        for network in networks:
            if hasattr(network, "module"):
                network = network.module
            kept.add(network)
        return kept, [network.module for network in networks]


def build():
    nets = {"g": nn.DataParallel(nn.Linear(4, 2)), "d": nn.DataParallel(nn.Linear(2, 1))}
    return nets, Checkpoints(data_parallel=True, **nets)


def generate(nets, x):
    return nets["g"].module.forward(x)


def pair():
    return run([nn.DataParallel(nn.Linear(4, 2)), nn.Linear(2, 1)])


def run(nets):
    first, second = nets
    return first.module(second.weight)
