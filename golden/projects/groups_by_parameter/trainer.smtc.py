import torch
from torch import nn
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, model, optimizer, loader):
        self.device = xm.xla_device()
        self.model = model.to(self.device)
        self.optimizer = optimizer
        self.loader = loader

    def train(self):
        for x, y in pl.MpDeviceLoader(self.loader, self.device):
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(self.model(x), y).backward()
            xm.optimizer_step(self.optimizer)
