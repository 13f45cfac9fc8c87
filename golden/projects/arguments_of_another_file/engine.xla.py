import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, options):
        device = torch_xla.device()
        self.model = nn.Linear(8, 2).to(device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=options.lr)
        data = TensorDataset(torch.randn(64, 8), torch.randint(0, 2, (64,)))
        self.loader = DataLoader(data, batch_size=8, shuffle=True)

    def train(self):
        device = torch_xla.device()
        for x, y in pl.MpDeviceLoader(self.loader, device):
            loss = F.cross_entropy(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(self.optimizer)
