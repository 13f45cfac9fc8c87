import torch

weight = torch.ones(2)
x = torch.arange(2).to((weight * 2).cuda())
