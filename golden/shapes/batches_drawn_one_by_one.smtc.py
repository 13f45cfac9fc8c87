import torch
from torch.utils.data import DataLoader
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


def fresh(net, dataset, optimizer):
    loader = DataLoader(dataset, batch_size=4)
    device = xm.xla_device()
    for step in range(1000):
        x, y = next(iter(loader))
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(net(x.to(device)), y.to(device)).backward()
        xm.optimizer_step(optimizer, barrier=True)


def method(net, dataset, optimizer):
    device = xm.xla_device()
    loader = DataLoader(dataset, batch_size=4)
    loader = pl.MpDeviceLoader(loader, device)
    batches = iter(loader)
    for step in range(1000):
        try:
            x, y = next(batches)
        except StopIteration:
            batches = iter(loader)
            x, y = batches.__next__()
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(net(x), y).backward()
        xm.optimizer_step(optimizer)


def both(net, dataset, other, optimizer):
    more = iter(DataLoader(other, batch_size=4))
    device = xm.xla_device()
    for x, y in pl.MpDeviceLoader(DataLoader(dataset, batch_size=4), device):
        z, _ = next(more)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(net(x + z.to(device)), y).backward()
        xm.optimizer_step(optimizer)


def run(net, dataset):
    loader = DataLoader(dataset, batch_size=4)
    device = xm.xla_device()
    for step in range(10):
        print(net(next(iter(loader))[0].to(device)))
        xm.mark_step()
