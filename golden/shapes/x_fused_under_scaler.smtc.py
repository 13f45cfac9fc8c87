"""apex's fused optimizer stepped by torch's own gradient scaler."""
import torch
import torch_xla.core.xla_model as xm
from torch_xla.amp import GradScaler, autocast, syncfree

device = xm.xla_device()
model = torch.nn.Linear(4, 2).to(device)
optimizer = syncfree.AdamW(model.parameters(), lr=1e-3, weight_decay=0.0)
scaler = GradScaler()
for step in range(3):
    with autocast():
        loss = model(torch.randn(8, 4).to(device)).pow(2).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    xm.mark_step()
