import torch
from torch.utils.data import DataLoader
import torch_xla
import torch_xla.distributed.parallel_loader as pl


def cycle(loader):
    while True:
        for batch in loader:
            yield batch


class Trainer:
    def __init__(self, model, dataset):
        self.model = model.cuda()
        self.opt = torch.optim.Adam(model.parameters(), lr=1e-4)
        device = torch_xla.device()
        self.batches = cycle(pl.MpDeviceLoader(DataLoader(dataset, batch_size=32, shuffle=True), device))

    def train(self):
        for step in range(100000):
            data = next(self.batches)
            loss = self.model(data).mean()
            loss.backward()
            self.opt.step()
            self.opt.zero_grad()
