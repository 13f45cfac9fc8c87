import torch
from torch import nn
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from noise import disturbed


class Trainer:
    def __init__(self, model, loader, device):
        self.model = model.to(device)
        xm.broadcast_master_param(self.model)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loader = loader
        self.device = device

    def epoch(self, number):
        self.loader.sampler.set_epoch(number)
        for x, y in pl.MpDeviceLoader(self.loader, self.device):
            loss = nn.functional.cross_entropy(self.model(disturbed(x)), y)
            self.optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(self.optimizer)
