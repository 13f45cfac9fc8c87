"""A plain loop that never ends its graph: each read computes everything since the start."""

import torch
import torch_xla.core.xla_model as xm
from torch import nn

torch.manual_seed(0)
device = xm.xla_device()
model = nn.Linear(3, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(8):
    loss = model(torch.randn(4, 3).to(device)).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 3 == 0:
        print(loss.item())
