import torch
from torch import nn

net = nn.Linear(4, 4).cuda()
kept = []
for step in range(4):
    kept.append(net(torch.randn(2, 4).cuda()).detach().cpu())
print(torch.cat(kept).numpy())
