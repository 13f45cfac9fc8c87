import torch
from torch import nn
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from data import get_data_loader


def main():
    local_rank = xm.get_local_ordinal()
    device = xm.xla_device()
    loader = get_data_loader(torch.randn(64, 4))
    device_loader = pl.MpDeviceLoader(loader, device)
    model = nn.Linear(4, 1).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        loader.sampler.set_epoch(epoch)
        for (x,) in device_loader:
            loss = model(x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer)
    xm.save(model.state_dict(), "model.pt")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
