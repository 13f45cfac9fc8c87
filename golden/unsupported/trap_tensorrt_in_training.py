import argparse

import torch
import torch_tensorrt

net = torch.nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    net(torch.randn(8, 4).cuda()).mean().backward()
    optimizer.step()
torch_tensorrt.compile(net, inputs=[torch.randn(8, 4).cuda()])
