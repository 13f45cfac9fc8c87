from settings import *
import torch

net = make_net().to("cuda")
out = net(torch.ones(2).to(device))
