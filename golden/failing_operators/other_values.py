"""Calls that give something else on XLA, and those like them that do not."""

import math

import torch
import torch.nn.functional as F


class Loss(torch.nn.Module):
    def forward(self, x, y):
        scale = x.amax() + torch.amin(y) + x.amax(1).sum() + x.max() + torch.amax(x, dim=1).sum()
        order = x.norm(float("inf")) + torch.norm(y, p=math.inf) + x.norm(2) + torch.linalg.norm(x, float("inf"))
        pooled = F.avg_pool2d(x[None], 2, divisor_override=3).sum() + F.avg_pool2d(x[None], 2).sum()
        return scale * order * pooled


device = torch.device("cuda")
model = torch.nn.Linear(4, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = Loss().to(device)
for x, y in loader:
    loss = criterion(model(x.to(device)), y.to(device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
