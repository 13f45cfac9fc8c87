"""Steps are counted and batches drawn without end: no epoch loop can tell the sampler to shuffle anew."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
import torch_xla.runtime as xr


def endless(loader):
    while True:
        loader.sampler.set_epoch(loader.sampler.epoch + 1)
        for (x,) in loader:
            yield x


def train():
    dataset = TensorDataset(torch.randn(64, 4))
    train_sampler = torch.utils.data.distributed.DistributedSampler(
        dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal()
    )
    loader = DataLoader(dataset, batch_size=16 // xr.world_size(), sampler=train_sampler, drop_last=True)
    batches = endless(loader)
    model = nn.DataParallel(nn.Linear(4, 1).cuda())
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(100):
        loss = model(next(batches).cuda()).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


train()
