import torch
from comm import dist

optimizer = torch.optim.SGD(model.parameters(), lr=1)
for p in model.parameters():
    dist.all_reduce(p.grad)
    p.grad /= dist.get_world_size()
optimizer.step()
