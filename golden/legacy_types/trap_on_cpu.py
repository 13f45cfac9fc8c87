import torch

x = torch.ones(2)
y = torch.eye(2).type(x.type())
