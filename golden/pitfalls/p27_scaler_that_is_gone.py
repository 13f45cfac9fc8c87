"""Pitfall 27: torch_xla 2.9 has no GradScaler."""
import torch
from torch.cuda.amp import GradScaler, autocast

model = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = GradScaler()
for step in range(3):
    optimizer.zero_grad()
    with autocast():
        loss = model(torch.randn(8, 4).cuda()).pow(2).mean()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
