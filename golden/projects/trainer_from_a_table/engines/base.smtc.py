from abc import ABC, abstractmethod

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Engine(ABC):
    def __init__(self, args, model, loader):
        self.device = xm.xla_device()
        self.model = model.to(self.device)
        xm.collective_broadcast(list(self.model.parameters()) + list(self.model.buffers()))
        xm.mark_step()
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
            self.loader.sampler.set_epoch(epoch)
            self.train_one_epoch()

    def train_one_epoch(self):
        for batch in pl.MpDeviceLoader(self.loader, self.device):
            batch = [part.to(self.device) for part in batch]
            self.optimizer.zero_grad()
            self.loss(batch).backward()
            xm.optimizer_step(self.optimizer)
