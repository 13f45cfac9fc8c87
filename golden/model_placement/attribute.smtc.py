import torch
import torch_xla.core.xla_model as xm


class Runner:
    def __init__(self, net, cfg):
        self.net = net
        device = xm.xla_device()
        self.net = self.net.to(device)
