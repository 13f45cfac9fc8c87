"""Saves, loads and goes on; keeps a moving average of the weights."""

import copy
import os
import tempfile

import torch
import torch_xla.core.xla_model as xm
from torch import nn

torch.manual_seed(0)
device = xm.xla_device()
model = nn.Sequential(nn.Linear(4, 8), nn.Dropout(0.3), nn.LayerNorm(8), nn.Linear(8, 2)).to(device)
average = copy.deepcopy(model)
optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
path = os.path.join(tempfile.mkdtemp(), "checkpoint.pt")
for step in range(8):
    inputs, labels = torch.randn(5, 4).to(device), torch.randint(0, 2, (5,)).to(device)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(inputs), labels)
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for kept, now in zip(average.parameters(), model.parameters()):  # noqa: B905
            kept.mul_(0.9).add_(now, alpha=0.1)
    xm.mark_step()
    if step == 3:
        xm.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
        state = torch.load(path, map_location="cpu")
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
print(sum(p.sum() for p in average.parameters()).item())
