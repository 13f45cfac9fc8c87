import torch
import torch.distributed as dist

optimizer = torch.optim.Adam(model.parameters())
model(x).backward()
for p in model.parameters():
    dist.all_reduce(p.grad)
optimizer.step()
