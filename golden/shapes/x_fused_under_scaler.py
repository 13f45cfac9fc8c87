"""apex's fused optimizer stepped by torch's own gradient scaler."""
import torch
from apex.optimizers import FusedAdam
from torch.cuda.amp import GradScaler, autocast

model = torch.nn.Linear(4, 2).cuda()
optimizer = FusedAdam(model.parameters(), lr=1e-3)
scaler = GradScaler()
for step in range(3):
    with autocast():
        loss = model(torch.randn(8, 4).cuda()).pow(2).mean()
    optimizer.zero_grad()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
