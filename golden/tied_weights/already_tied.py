import torch
import torch_xla.core.xla_model as xm
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.i, self.o = nn.Embedding(4, 2), nn.Linear(2, 4)
        self.o.weight = self.i.weight


device = xm.xla_device()
net = Net().to(device)
net.o.weight = net.i.weight
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
