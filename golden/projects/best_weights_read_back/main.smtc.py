import os
import shutil

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl

from results import report


def fit(model, loader, folder):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    device = xm.xla_device()
    device_loader = pl.MpDeviceLoader(loader, device)
    for epoch in range(3):
        loader.sampler.set_epoch(epoch)
        for x, y in device_loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x), y).backward()
            xm.optimizer_step(optimizer)
        xm.save({"epoch": epoch, "model": model.state_dict()}, os.path.join(folder, "last.pt"))
        if (epoch > 0) and xm.is_master_ordinal(local=False):
            shutil.copyfile(os.path.join(folder, "last.pt"), os.path.join(folder, "best.pt"))


def main():
    torch.manual_seed(0)
    xm.set_rng_state(0)
    folder = "weights"
    os.makedirs(folder, exist_ok=True)
    x = torch.randn(16, 4)
    train_dataset = TensorDataset(x, (x.sum(1) > 0).long())
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal(), shuffle=False
    )
    loader = DataLoader(train_dataset, batch_size=4 // xm.xrt_world_size(), sampler=train_sampler)
    device = xm.xla_device()
    model = nn.Linear(4, 2).to(device)
    fit(model, loader, folder)
    report(model, folder)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
