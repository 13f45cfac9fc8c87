import argparse

import torch
from torch import nn
import torch_xla.core.xla_model as xm

parser = argparse.ArgumentParser()
parser.add_argument("--cuda", action="store_true")
args = parser.parse_args()

net = nn.Linear(4, 2)
decoder = nn.Linear(2, 4)
device = xm.xla_device()
if args.cuda:
    net = net.to(device)
if args.cuda:
    decoder.to(device)
params = list(net.parameters()) + list(decoder.parameters())
optimizer = torch.optim.Adam([p for p in params if p.requires_grad])

for x in [torch.ones(4)]:
    optimizer.zero_grad()
    decoder(net(x)).sum().backward()
    optimizer.step()
