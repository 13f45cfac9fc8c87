import torch
import torch_xla


class Runner:
    def __init__(self, net, cfg):
        self.net = net
        device = torch_xla.device()
        self.net = self.net.to(device)
