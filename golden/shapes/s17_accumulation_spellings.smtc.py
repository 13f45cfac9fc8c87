"""Accumulation without a modulo: a counter, the last batch of the epoch, and a step skipped with continue."""
import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

device = xm.xla_device()
model = torch.nn.Linear(16, 4).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = DataLoader(torch.load("data.pt", map_location="cpu"), batch_size=8, drop_last=True)
loader = pl.MpDeviceLoader(loader, device)
accumulate, last = 4, -1

for ni, (x, y) in enumerate(loader):
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    if ni - last >= accumulate:
        xm.reduce_gradients(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 10.0)
        optimizer.step()
        optimizer.zero_grad()
        last = ni

for step, (x, y) in enumerate(loader):
    loss = torch.nn.functional.cross_entropy(model(x), y) / accumulate
    loss.backward()
    if (step + 1) % accumulate == 0 or step == len(loader) - 1:
        xm.optimizer_step(optimizer)
        optimizer.zero_grad()

for step, (x, y) in enumerate(loader):
    loss = torch.nn.functional.cross_entropy(model(x), y) / accumulate
    loss.backward()
    if (step + 1) % accumulate:
        continue
    xm.optimizer_step(optimizer)
    optimizer.zero_grad()
