import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from tqdm import tqdm

from metrics import MetricLogger


def endless(loader):
    while True:
        yield from loader


class Trainer:
    def __init__(self, model, dataset):
        device = xm.xla_device()
        self.model = model.to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.loader = DataLoader(dataset, batch_size=8, shuffle=True, drop_last=True)

    def step(self, x, y):
        loss = torch.nn.functional.cross_entropy(self.model(x), y)
        self.optimizer.zero_grad()
        loss.backward()
        xm.optimizer_step(self.optimizer)
        return loss

    def one_pass(self):
        self.model.train()
        device = xm.xla_device()
        tbar = tqdm(pl.MpDeviceLoader(self.loader, device))
        for x, y in tbar:
            self.step(x, y)
            tbar.set_description("training")

    def for_steps(self, steps):
        device = xm.xla_device()
        batches = iter(endless(pl.MpDeviceLoader(self.loader, device)))
        for _ in range(steps):
            x, y = next(batches)
            self.step(x, y)

    def logged(self):
        logger = MetricLogger(delimiter="  ")
        device = xm.xla_device()
        for x, y in logger.log_every(pl.MpDeviceLoader(self.loader, device), 10, "Epoch"):
            self.step(x, y)


def main():
    trainer = Trainer(torch.nn.Linear(4, 2), dataset)
    trainer.one_pass()
    trainer.for_steps(1000)
    trainer.logged()


if __name__ == "__main__":
    main()
