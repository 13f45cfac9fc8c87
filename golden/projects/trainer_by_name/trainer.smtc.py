"""The trainer of one data set."""

import os

import torch
from torch import nn, optim
from torch.utils.data import DataLoader, Dataset
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Organs(Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, index):
        generator = torch.Generator().manual_seed(index)
        image = torch.randn(1, 8, 8, generator=generator)
        return {"image": image, "label": (image[0] > 0).long(), "case": f"case{index}"}


def train_organs(args, model):
    batch_size = args.batch_size * args.n_gpu
    device = xm.xla_device()
    train_dataset = Organs()
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        train_dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()
    )
    loader = DataLoader(
        train_dataset, batch_size=batch_size // xm.xrt_world_size(), sampler=train_sampler, drop_last=True)
    loader = pl.MpDeviceLoader(loader, device)
    xm.collective_broadcast(list(model.parameters()) + list(model.buffers()))
    xm.mark_step()
    model.train()
    criterion = nn.CrossEntropyLoss()
    optimizer = optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(args.epochs):
        train_sampler.set_epoch(epoch)
        for batch in loader:
            image, label = batch["image"], batch["label"]
            loss = criterion(model(image), label)
            optimizer.zero_grad()
            loss.backward()
            xm.optimizer_step(optimizer)
        xm.save(model.state_dict(), os.path.join(".", f"epoch_{epoch}.pth"))
    return "done"
