from abc import ABC, abstractmethod

import torch
from torch import nn


class Engine(ABC):
    def __init__(self, args, model, loader):
        self.device = torch.device("cuda")
        self.model = model.to(self.device)
        if args.gpus > 1:
            self.model = nn.DataParallel(self.model)
        self.loader = loader
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    @classmethod
    @abstractmethod
    def code(cls):
        ...

    @abstractmethod
    def loss(self, batch):
        ...

    def train(self):
        for epoch in range(2):
            self.train_one_epoch()

    def train_one_epoch(self):
        for batch in self.loader:
            batch = [part.to(self.device) for part in batch]
            self.optimizer.zero_grad()
            self.loss(batch).backward()
            self.optimizer.step()
