import argparse

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Exp:
    def __init__(self, args):
        self.args = args
        self.device = self._acquire_device()
        self.model = nn.Linear(4, 2).to(self.device)

    def _acquire_device(self):
        if self.args.use_gpu:
            device = torch_xla.device()
            print("Use GPU: cuda:{}".format(self.args.gpu))
        else:
            device = torch.device("cpu")
            print("Use CPU")
        return device

    def train(self):
        loader = DataLoader(TensorDataset(torch.randn(64, 4), torch.randint(2, (64,))), batch_size=8, shuffle=True)
        loader = pl.MpDeviceLoader(loader, self.device) if self.device.type == "xla" else loader
        optimizer = torch.optim.Adam(self.model.parameters())
        for epoch in range(self.args.epochs):
            for x, y in loader:
                optimizer.zero_grad()
                x, y = x.float(), y
                nn.functional.cross_entropy(self.model(x), y).backward()
                xm.optimizer_step(optimizer)


parser = argparse.ArgumentParser()
parser.add_argument("--use_gpu", type=bool, default=True)
parser.add_argument("--gpu", type=int, default=0)
parser.add_argument("--epochs", type=int, default=2)
args = parser.parse_args()
args.use_gpu = True if args.use_gpu else False
Exp(args).train()
