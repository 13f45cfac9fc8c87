import os

import torch
from torch.nn.parallel import DataParallel, DistributedDataParallel


class Solver:
    def __init__(self, options):
        self.options = options
        self.device = torch.device("cuda")

    def placed(self, network):
        network = network.to(self.device)
        if self.options["parallel"]:
            return DistributedDataParallel(network, device_ids=[torch.cuda.current_device()])
        return DataParallel(network)

    def bare(self, network):
        return network.module if isinstance(network, (DataParallel, DistributedDataParallel)) else network

    def described(self, network):
        return ", ".join(f"{name} {value.mean():.3f}" for name, value in self.bare(network).state_dict().items())

    def write(self, network, name):
        weights = self.bare(network).state_dict()
        torch.save(weights, os.path.join(self.options["folder"], name))
