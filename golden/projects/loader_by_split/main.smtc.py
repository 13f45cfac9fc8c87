import torch
from torch import nn
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from loaders import get_loader


def run(model, loaders, optimizer):
    device = xm.xla_device()
    for epoch in range(3):
        loaders["train"].sampler.set_epoch(epoch)
        for x, y in pl.MpDeviceLoader(loaders["train"], device):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            xm.optimizer_step(optimizer)


def main():
    loaders = {split: get_loader(split) for split in ("train", "val")}
    device = xm.xla_device()
    model = nn.Linear(4, 2).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    run(model, loaders, torch.optim.SGD(model.parameters(), lr=0.1))


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
