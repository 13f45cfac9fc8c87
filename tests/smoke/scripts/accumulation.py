"""Accumulates gradients over three batches, adds the loss up on the device."""

import torch
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
from torch import nn

torch.manual_seed(0)
device = xm.xla_device()
model = nn.Linear(6, 2).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
data = torch.utils.data.TensorDataset(torch.randn(96, 6), torch.randn(96, 2))
loader = pl.MpDeviceLoader(torch.utils.data.DataLoader(data, batch_size=4), device)
running = 0
for step, (inputs, targets) in enumerate(loader):
    loss = nn.functional.smooth_l1_loss(model(inputs), targets) / 3
    loss.backward()
    running += loss.detach()
    if (step + 1) % 3 == 0:
        xm.optimizer_step(optimizer)
        optimizer.zero_grad()
print(float(running))
