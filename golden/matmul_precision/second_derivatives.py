import torch
from torch import autograd, nn


def gradient(y, x):
    return torch.autograd.grad(y, [x], grad_outputs=torch.ones_like(y), create_graph=True)[0]


def divergence(y, x):
    return sum(autograd.grad(y[..., i], x, torch.ones_like(y[..., i]), create_graph=True)[0][..., i] for i in range(2))


def laplace(y, x):
    return divergence(gradient(y, x), x)


net = nn.Sequential(nn.Linear(2, 64), nn.Tanh(), nn.Linear(64, 1)).cuda()
x = torch.rand(100, 2, device="cuda", requires_grad=True)
u = net(x)
u_x = autograd.grad(u, x, torch.ones_like(u), create_graph=True)[0]
u_xx = autograd.grad(u_x, x, torch.ones_like(u_x), create_graph=True)[0]
loss = (laplace(u, x) + u_xx).pow(2).mean()
