"""Pitfall 27: torch_xla 2.9 has no GradScaler."""
import torch
import torch_xla.core.xla_model as xm
from torch_xla.amp import GradScaler, autocast, syncfree

device = xm.xla_device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = syncfree.SGD(model.parameters(), lr=0.1)
scaler = GradScaler()
for step in range(3):
    optimizer.zero_grad()
    with autocast():
        loss = model(torch.randn(8, 4).to(device)).pow(2).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    xm.mark_step()
