import torch
from torch import nn
from torch.utils.data.distributed import DistributedSampler
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr

from data import make_loader


def train(rank):
    gpus = xr.world_size()
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    net = nn.Linear(8, 1).to(device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
    if rank == 0:
        held_out = make_loader([f"held_{i}" for i in range(8)])
        print(len(next(iter(held_out))))
    names = [f"clip_{i}" for i in range(16)]
    sampler = DistributedSampler(names, gpus, rank)
    loader = make_loader(names, sampler)
    loader = pl.MpDeviceLoader(loader, device)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for features in loader:
            loss = net(features).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer)


if __name__ == "__main__":
    torch_xla.launch(train)
