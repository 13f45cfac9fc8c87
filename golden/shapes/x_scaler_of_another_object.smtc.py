"""A trainer whose scaler belongs to an object of another class of the file."""
import torch
import torch_xla.core.xla_model as xm
from torch_xla.amp import autocast


class Executor:
    def __init__(self, model, scaler=None):
        device = xm.xla_device()
        self.model = model.to(device)
        self.scaler = scaler

    def distributed(self, gpu):
        xm.collective_broadcast(list(self.model.parameters()) + list(self.model.buffers()))
        xm.mark_step()

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
            gradients = xm._fetch_gradients(self.optimizer)
            xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())
            self.executor.scaler.step(self.optimizer)
            self.executor.scaler.update()
        else:
            xm.optimizer_step(self.optimizer)
        xm.mark_step()
        self.optimizer.zero_grad()
        return loss
