"""Shape 12: autocast kept in a variable, in a partial, and switched off for an island."""
import functools
from contextlib import nullcontext

import torch
import torch_xla
import torch_xla.core.xla_model as xm

use_amp = True
ctx = torch.autocast("xla", dtype=torch.bfloat16) if use_amp else nullcontext()
half = functools.partial(torch.autocast, "xla", dtype=torch.bfloat16)
device = torch_xla.device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def loss_of(x, context):
    with context():
        out = model(x)
    with torch.autocast("xla", dtype=torch.bfloat16, enabled=False):
        return out.float().pow(2).mean()


for step in range(3):
    with ctx:
        extra = model(torch.randn(2, 4).to(device)).mean()
    loss = loss_of(torch.randn(8, 4).to(device), half) + extra
    optimizer.zero_grad()
    loss.backward()
    xm.optimizer_step(optimizer, barrier=True)
