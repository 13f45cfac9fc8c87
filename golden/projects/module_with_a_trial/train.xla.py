"""Trains the layer of another file."""

import torch
from torch import nn
import torch_xla
import torch_xla.core.xla_model as xm

from dropping import WeightDrop

device = torch_xla.device()
model = WeightDrop(nn.Linear(4, 4), 0.5).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(5):
    loss = model(torch.randn(8, 4, device=device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    xm.optimizer_step(optimizer, barrier=True)
