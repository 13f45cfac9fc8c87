import os
import torch
from torch import nn
import torch_xla.core.xla_model as xm


class Config:
    devices = int(os.environ.get("GPU_NUM_DEVICES", "1"))
    several = int(os.environ.get("GPU_NUM_DEVICES", "1")) > 1


def worker(rank, config):
    device = xm.xla_device()
    net = nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(net.parameters()) + list(net.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(10):
        optimizer.zero_grad()
        net(torch.ones(2, 4).to(device)).sum().backward()
        xm.optimizer_step(optimizer, barrier=True)


def main():
    worker(xm.get_ordinal(), Config)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
