"""An option keeps the model on the host: torch_xla 2.9 replaces nn.GRU by one that fails there; not nn.LSTM."""
import argparse

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.LSTM(3, 4)
        self.second = nn.GRU(4, 4, bidirectional=True)
        self.third = nn.GRU(8, 2)

    def forward(self, x):
        x, _ = self.first(x)
        x, _ = self.second(x)
        x, _ = self.third(x)
        return x


parser = argparse.ArgumentParser()
parser.add_argument("--gpu", action="store_true")
args = parser.parse_args()
model = Net()
device = xm.xla_device()
if args.gpu:
    model.to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(10):
    x = torch.randn(5, 2, 3)
    if args.gpu:
        x = x.to(device)
    optimizer.zero_grad()
    model(x).sum().backward()
    xm.optimizer_step(optimizer, barrier=True)
