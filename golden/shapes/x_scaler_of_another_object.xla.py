"""A trainer whose scaler belongs to an object of another class of the file."""
import torch
import torch_xla
import torch_xla.core.xla_model as xm


class Executor:
    def __init__(self, model, scaler=None):
        device = torch_xla.device()
        self.model = model.to(device)
        self.scaler = scaler

    def distributed(self, gpu):
        xm.broadcast_master_param(self.model)

    def forward_backward(self, x, y):
        with torch.autocast("xla", dtype=torch.bfloat16, enabled=self.scaler is not None):
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
            xm.optimizer_step(self.optimizer)
            self.executor.scaler.update()
        else:
            xm.optimizer_step(self.optimizer)
        torch_xla.sync()
        self.optimizer.zero_grad()
        return loss
