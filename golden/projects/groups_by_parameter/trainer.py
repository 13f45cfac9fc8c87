import torch
from torch import nn


class Trainer:
    def __init__(self, model, optimizer, loader):
        self.device = torch.device("cuda")
        self.model = model.to(self.device)
        self.optimizer = optimizer
        self.loader = loader

    def train(self):
        for x, y in self.loader:
            x, y = x.to(self.device), y.to(self.device)
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(self.model(x), y).backward()
            self.optimizer.step()
