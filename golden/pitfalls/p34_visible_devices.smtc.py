"""One GPU, chosen at the top of the script."""

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm

device = xm.xla_device()
model = nn.Linear(4, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    model(torch.randn(2, 4).to(device)).sum().backward()
    xm.optimizer_step(optimizer, barrier=True)
