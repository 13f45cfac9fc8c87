import torch
import torch_xla.core.xla_model as xm

net = torch.nn.Linear(4, 1)


def make_optimizer():
    return torch.optim.SGD(net.parameters(), lr=0.05)


def apply(optimizers=[make_optimizer()]):
    optimizer = optimizers[0]
    xm.optimizer_step(optimizer)
    optimizer.zero_grad()
