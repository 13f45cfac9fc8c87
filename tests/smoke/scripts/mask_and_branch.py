"""Selects by a mask, branches on a tensor, writes into a buffer by index: all that XLA dislikes."""

import torch
import torch_xla.core.xla_model as xm
from torch import nn

torch.manual_seed(0)
device = xm.xla_device()
model = nn.Linear(5, 1).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
history = torch.zeros(8, device=device)
for step in range(8):
    inputs, targets = torch.randn(6, 5).to(device), torch.randn(6, 1).to(device)
    outputs = model(inputs)
    errors = (outputs - targets).abs()
    hard = errors[errors > 0.2]
    loss = hard.mean()
    if torch.isnan(loss):
        continue
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    history[step] = loss.detach()
    xm.mark_step()
print(history.cpu().tolist())
