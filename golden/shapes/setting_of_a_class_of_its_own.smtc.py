import torch
from torch import nn
import torch_xla.core.xla_model as xm


class Munch(dict):
    def __getattr__(self, name):
        return self[name]


config = Munch(device="cuda", batch=8)
xla_device = xm.xla_device()
used = Munch(device=xla_device, lr=0.1)
device = xm.xla_device()
model = nn.Linear(4, 2).to(device)
head = nn.Linear(2, 2).to(used.device)
optimizer = torch.optim.SGD([*model.parameters(), *head.parameters()], lr=used.lr)
for epoch in range(3):
    optimizer.zero_grad()
    head(model(torch.ones(config.batch, 4, device=device))).sum().backward()
    xm.optimizer_step(optimizer, barrier=True)
