import os

import torch
import torch_xla
import torch_xla.core.xla_model as xm


class Solver:
    def __init__(self, options):
        self.options = options
        self.device = torch_xla.device()

    def placed(self, network):
        network = network.to(self.device)
        if self.options["parallel"]:
            xm.broadcast_master_param(network)
            return network
        return network

    def bare(self, network):
        return network

    def described(self, network):
        return ", ".join(f"{name} {value.mean():.3f}" for name, value in self.bare(network).state_dict().items())

    def write(self, network, name):
        weights = self.bare(network).state_dict()
        xm.save(weights, os.path.join(self.options["folder"], name))
