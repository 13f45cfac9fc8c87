from torch import nn
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from data import endless


class Trainer:
    def __init__(self, model, optimizer, loader, unlabelled):
        self.model, self.optimizer, self.loader = model, optimizer, loader
        self.unlabelled = endless(unlabelled)

    def train_epoch(self):
        device = xm.xla_device()
        for x, y in pl.MpDeviceLoader(self.loader, device):
            z, _ = next(self.unlabelled)
            self.optimizer.zero_grad()
            loss = nn.functional.cross_entropy(self.model(x), y)
            loss = loss + self.model(z.to(device)).pow(2).mean()
            loss.backward()
            xm.optimizer_step(self.optimizer)
        return loss
