from settings import *
import torch
import torch_xla

xla_device = torch_xla.device()
net = make_net().to(xla_device)
out = net(torch.ones(2).to(device))
