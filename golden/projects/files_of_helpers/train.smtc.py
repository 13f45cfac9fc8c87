import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from pictures import save_sheet
from tools import fresh_folder, save_json


def main():
    device = xm.xla_device()
    fresh_folder("samples")
    model = nn.Conv2d(3, 3, 3, padding=1).to(device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train_dataset = TensorDataset(torch.rand(64, 3, 8, 8))
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    loader = DataLoader(train_dataset, 8 // xm.xrt_world_size(), sampler=train_sampler, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    for epoch in range(2):
        train_sampler.set_epoch(epoch)
        for (x,) in loader:
            loss = (model(x) - x).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer)
        save_sheet(model(x).detach(), 4, f"samples/{epoch}.png")
        save_json({"loss": loss.item()}, f"samples/{epoch}.json")


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
