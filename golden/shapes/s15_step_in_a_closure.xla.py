"""A function that holds the step, returned from a function and handed to another one."""
import time

import torch
import torch_xla
import torch_xla.core.xla_model as xm


def timed(step, n):
    start = time.time()
    for _ in range(n):
        step()
    return (time.time() - start) / n


def make_step(model, optimizer, x, y):
    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        xm.optimizer_step(optimizer, barrier=True)

    return step


device = torch_xla.device()
model = torch.nn.Linear(16, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(32, 16).to(device), torch.randint(4, (32,)).to(device)
print(timed(make_step(model, optimizer, x, y), 20))
