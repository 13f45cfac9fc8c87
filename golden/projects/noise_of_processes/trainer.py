import torch
from torch import nn

from noise import disturbed


class Trainer:
    def __init__(self, model, loader, device):
        self.model = nn.parallel.DistributedDataParallel(model.to(device), device_ids=[device.index])
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loader = loader
        self.device = device

    def epoch(self, number):
        self.loader.sampler.set_epoch(number)
        for x, y in self.loader:
            x, y = x.to(self.device), y.to(self.device)
            loss = nn.functional.cross_entropy(self.model(disturbed(x)), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
