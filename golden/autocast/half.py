import torch

net = torch.nn.Linear(2, 2).cuda().half()
mask = area.half()
