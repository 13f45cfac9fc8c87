"""A name holds the loss first and a number later: what is logged then is on the host already."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def value(tensor):
    return tensor.item()


class Trainer:
    def __init__(self):
        device = xm.xla_device()
        self.model = nn.Linear(8, 1).to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loader = DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=8, drop_last=True)

    def numbers(self):
        device = xm.xla_device()
        for step, (x,) in enumerate(pl.MpDeviceLoader(self.loader, device)):
            self.optimizer.zero_grad()
            terms = 0.0
            for y in (self.model(x), self.model(-x)):
                terms += (y - 1).pow(2).mean()
            loss = terms + self.model(x).abs().mean()
            loss.backward()
            xm.optimizer_step(self.optimizer)
            xm.mark_step()
            loss, terms = loss.item() / 2, float(terms)
            if step % 4 == 0:
                print(step, loss, terms)

    def by_function(self):
        device = xm.xla_device()
        for step, (x,) in enumerate(pl.MpDeviceLoader(self.loader, device)):
            loss = self.model(x).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(self.optimizer)
            xm.mark_step()
            loss = value(loss)
            if step % 4 == 0:
                print("step %d loss %.4f" % (step, loss))

    def attribute(self):
        device = xm.xla_device()
        for step, (x,) in enumerate(pl.MpDeviceLoader(self.loader, device)):
            self.loss = self.model(x).pow(2).mean()
            self.optimizer.zero_grad()
            self.loss.backward()
            xm.optimizer_step(self.optimizer)
            xm.mark_step()
            self.loss = self.loss.detach().cpu().numpy()
            if step % 4 == 0:
                print("step", step, self.loss)

    def either(self, verbose=True):
        device = xm.xla_device()

        def log_step(step, loss):
            print("step", step, loss)

        for step, (x,) in enumerate(pl.MpDeviceLoader(self.loader, device)):
            loss = self.model(x).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(self.optimizer)
            if verbose:
                xm.mark_step()
                loss = loss.item()
            if step % 4 == 0:
                xm.add_step_closure(log_step, args=(step, loss))

    def sum(self):
        device = xm.xla_device()

        def log_step_2(step, loss):
            print("step", step, loss)

        for step, (x,) in enumerate(pl.MpDeviceLoader(self.loader, device)):
            loss = 0
            for y in (self.model(x), self.model(-x)):
                loss += (y - 1).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(self.optimizer)
            if step % 4 == 0:
                xm.add_step_closure(log_step_2, args=(step, loss.detach()))

    def sometimes(self):
        device = xm.xla_device()

        def log_step_3(step, loss):
            print("step", step, loss)

        for step, (x,) in enumerate(pl.MpDeviceLoader(self.loader, device)):
            loss = 0
            if step % 2 == 0:
                loss = self.model(x).pow(2).mean()
                self.optimizer.zero_grad()
                loss.backward()
                xm.optimizer_step(self.optimizer)
            if step % 3 == 0:
                xm.add_step_closure(log_step_3, args=(step, loss))


if __name__ == "__main__":
    trainer = Trainer()
    trainer.numbers()
    trainer.by_function()
    trainer.attribute()
    trainer.either()
    trainer.sum()
    trainer.sometimes()
