"""`self.net.cuda()` as a statement moves in place; a rebinding would break the other name for it."""
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

net = nn.Linear(8, 2)


class Solver:
    def __init__(self, model):
        self.net = model
        self.criterion = nn.CrossEntropyLoss()
        device = torch_xla.device()
        self.net.to(device)
        self.criterion.to(device)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def fit(self, loader):
        device = torch_xla.device()
        loader = pl.MpDeviceLoader(loader, device)
        for x, y in loader:
            self.optimizer.zero_grad()
            self.criterion(self.net(x), y).backward()
            xm.optimizer_step(self.optimizer)


data = TensorDataset(torch.randn(64, 8), torch.randint(2, (64,)))
solver = Solver(net)
solver.fit(DataLoader(data, batch_size=16, drop_last=True))
print(net.weight.sum().item())
