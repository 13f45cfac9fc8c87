from settings import *
import torch
import torch_xla.core.xla_model as xm

xla_device = xm.xla_device()
net = make_net().to(xla_device)
out = net(torch.ones(2).to(device))
