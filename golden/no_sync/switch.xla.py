import torch
from torch.nn.parallel import DistributedDataParallel as DDP

model = torch.nn.Linear(2, 2)
if ddp:
    model = DDP(model)
for micro_step in range(steps):
    model(x).backward()
print(model.require_backward_grad_sync)
