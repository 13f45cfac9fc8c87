"""Shape 12: autocast kept in a variable, in a partial, and switched off for an island."""
import functools
from contextlib import nullcontext

import torch

use_amp = True
ctx = torch.amp.autocast("cuda", dtype=torch.float16) if use_amp else nullcontext()
half = functools.partial(torch.autocast, "cuda", dtype=torch.float16)
model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def loss_of(x, context):
    with context():
        out = model(x)
    with torch.cuda.amp.autocast(enabled=False):
        return out.float().pow(2).mean()


for step in range(3):
    with ctx:
        extra = model(torch.randn(2, 4).cuda()).mean()
    loss = loss_of(torch.randn(8, 4).cuda(), half) + extra
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
