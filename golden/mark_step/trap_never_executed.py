"""Migrated by hand, without a device loader: nothing executes what the loop records."""
import torch
import torch_xla.core.xla_model as xm

device = xm.xla_device()
model = torch.nn.Linear(3, 2).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(100):
    optimizer.zero_grad()
    loss = model(torch.randn(8, 3).to(device)).square().mean()
    loss.backward()
    xm.optimizer_step(optimizer)
