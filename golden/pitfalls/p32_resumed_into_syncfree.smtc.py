"""Pitfall 32: the state of torch.optim.Adam lacks a key that syncfree.Adam reads."""
import torch
import torch_xla.core.xla_model as xm
from torch_xla.amp import GradScaler, autocast, syncfree

device = xm.xla_device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = syncfree.Adam(model.parameters(), lr=1e-3)
scaler = GradScaler()
checkpoint = torch.load("last.pt", map_location="cpu")
optimizer.load_state_dict(checkpoint["optimizer"])
scaler.load_state_dict(checkpoint["scaler"])
for step in range(3):
    with autocast():
        loss = model(torch.randn(8, 4).to(device)).pow(2).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    xm.mark_step()
