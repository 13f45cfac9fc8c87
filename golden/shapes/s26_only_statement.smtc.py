"""Suites whose only statement goes."""
import argparse

import torch
import torch.nn as nn
import torch_xla.core.xla_model as xm

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()

torch.manual_seed(1)
xm.set_rng_state(1)
if not args.cuda:
    print("WARNING: you should probably run with --cuda")

device = xm.xla_device()
model = nn.Linear(8, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    x, y = torch.randn(16, 8).to(device), torch.randint(2, (16,)).to(device)
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), y)
    loss.backward()
    xm.optimizer_step(optimizer, barrier=True)
    if step % 2 == 0:
        xm.mark_step()
        xm.wait_device_ops()


def finish():
    pass


finish()
