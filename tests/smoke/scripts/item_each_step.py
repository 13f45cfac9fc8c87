"""Reads the loss at every step, before the mark."""

import torch
import torch_xla.core.xla_model as xm
from torch import nn

torch.manual_seed(0)
device = xm.xla_device()
model = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1)).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
total = 0.0
for _step in range(8):
    inputs, targets = torch.randn(4, 8).to(device), torch.randn(4, 1).to(device)
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    optimizer.step()
    total += loss.item()
    xm.mark_step()
print(f"mean loss {total / 8:.4f}")
