"""Where a tensor is, asked by its index: 0 on the XLA device too, and there a 0 names CUDA's."""

import torch
from torch import nn


class Shift(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.inner = nn.Linear(width, width)

    def forward(self, x):
        zeros = torch.zeros(x.size(1), device=x.device)
        ones = torch.ones(x.size(1)).to(x.device)
        device = x.device
        noise = torch.randn(x.size(1)).to(device)
        if x.get_device() < 0:
            raise RuntimeError("this network is for a GPU")
        return self.inner(x + zeros + ones + noise)


def main():
    net = Shift(4).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(10):
        loss = net(torch.randn(2, 4).cuda()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
