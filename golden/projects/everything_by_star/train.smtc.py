import torch.nn.functional as F
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from engine import *
from settings import *


def main():
    device = xm.xla_device()
    loader, model, optimizer = build()
    device_loader = pl.MpDeviceLoader(loader, device)
    for epoch in range(EPOCHS):
        loader.sampler.set_epoch(epoch)
        for x, y in device_loader:
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            xm.optimizer_step(optimizer)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
