import math

import torch
from torch import autograd, nn


class Snake(nn.Module):
    def forward(self, x):
        return x + torch.sin(x) ** 2


class Time(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.out = nn.Linear(dim, dim)
        self.wpe = nn.Embedding(100, dim)

    def forward(self, t):
        freqs = torch.exp(torch.linspace(0, -9, 32, device=t.device))
        args = t[:, None].float() * freqs[None]
        return self.out(torch.cat([torch.cos(args), torch.sin(args)], -1)) + self.wpe(torch.arange(4, device=t.device))


def penalty(critic, real, fake):
    mixed = (real + fake).requires_grad_()
    score = critic(mixed)
    gradient = autograd.grad(score, mixed, torch.ones_like(score), create_graph=True, retain_graph=True)[0]
    return ((gradient.norm(2, dim=1) - 1) ** 2).mean()


net = nn.Sequential(nn.Linear(4, 4), Snake()).cuda()
for t in torch.linspace(1, 0, 10):
    x = net(torch.ones(2, 4).cuda()) - 2 * t
attention = (x @ x.t()) / math.sqrt(2)
penalty(net, x, 2 * x)
y = x - 2 * net(x)
