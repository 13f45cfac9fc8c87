"""A batch left with continue has been computed: it is executed before it is left."""
import math
import sys

import torch
import torch_xla.core.xla_model as xm

device = xm.xla_device()
model = torch.nn.Linear(16, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(1000):
    x, y = torch.randn(8, 16), torch.randint(4, (8,))
    loss = torch.nn.functional.cross_entropy(model(x.to(device)), y.to(device))
    if torch.isnan(loss):
        print("NaN at", step)
        xm.mark_step()
        continue
    if not math.isfinite(loss.item()):
        sys.exit(1)
    optimizer.zero_grad()
    loss.backward()
    xm.optimizer_step(optimizer, barrier=True)
