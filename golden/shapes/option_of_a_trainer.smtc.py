import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, use_cuda):
        self.use_cuda = use_cuda
        self.model = nn.Linear(4, 2)
        device = xm.xla_device()
        if self.use_cuda:
            self.model = self.model.to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)

    def train(self, loader):
        device = xm.xla_device()
        loader = pl.MpDeviceLoader(loader, device) if self.use_cuda else loader
        for x, y in loader:
            self.optimizer.zero_grad()
            nn.functional.cross_entropy(self.model(x), y).backward()
            xm.optimizer_step(self.optimizer)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuda", action="store_true")
    args = parser.parse_args()
    loader = DataLoader(TensorDataset(torch.randn(64, 4), torch.randint(2, (64,))), batch_size=8, shuffle=True)
    trainer = Trainer(args.cuda)
    for epoch in range(3):
        trainer.train(loader)


if __name__ == "__main__":
    main()
