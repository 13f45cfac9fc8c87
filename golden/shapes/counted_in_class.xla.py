import torch
from torch import nn
import torch_xla
import torch_xla.core.xla_model as xm


class Config:
    devices = torch.cuda.device_count()
    several = torch.cuda.device_count() > 1


def worker(rank, config):
    device = torch_xla.device()
    net = nn.Linear(4, 2).to(device)
    xm.broadcast_master_param(net)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        net(torch.ones(2, 4).to(device)).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)


if __name__ == "__main__":
    torch_xla.launch(worker, args=(Config,))
