"""A trainer whose scaler belongs to an object of another class of the file."""
import torch
from torch.cuda.amp import autocast
from torch.nn.parallel import DistributedDataParallel as DDP


class Executor:
    def __init__(self, model, scaler=None):
        self.model = model.cuda()
        self.scaler = scaler

    def distributed(self, gpu):
        self.model = DDP(self.model, device_ids=[gpu])

    def forward_backward(self, x, y):
        with autocast(enabled=self.scaler is not None):
            loss = torch.nn.functional.cross_entropy(self.model(x), y)
        if self.scaler is not None:
            self.scaler.scale(loss).backward()
        else:
            loss.backward()
        return loss


class Trainer:
    def __init__(self, executor, optimizer):
        self.executor = executor
        self.optimizer = optimizer

    def train_step(self, x, y):
        loss = self.executor.forward_backward(x, y)
        if self.executor.scaler is not None:
            self.executor.scaler.step(self.optimizer)
            self.executor.scaler.update()
        else:
            self.optimizer.step()
        self.optimizer.zero_grad()
        return loss
