import sys

import torch

net = torch.load(sys.argv[1], map_location="cpu")
net = net.cuda()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(10):
    loss = net(torch.rand(4, 8).cuda()).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
