"""Integers as devices: every one of them means CUDA."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl
import torch_xla.runtime as xr


class Trainer:
    def __init__(self, model, loader, optimizer_class, gpu_id):
        self.gpu_id = gpu_id
        device = torch_xla.device()
        self.model = model.to(device)
        self.optimizer = optimizer_class(self.model.parameters(), lr=0.1)
        self.loader = loader

    def run_epoch(self, epoch):
        self.loader.sampler.set_epoch(epoch)
        device = torch_xla.device()
        for x, y in pl.MpDeviceLoader(self.loader, device):
            self.optimizer.zero_grad()
            loss = nn.functional.cross_entropy(self.model(x), y)
            loss.backward()
            xm.optimizer_step(self.optimizer)


def main():
    local_rank = xr.local_ordinal()
    torch.manual_seed(0)
    torch_xla.manual_seed(0)
    device = torch_xla.device()
    weight = torch.tensor([1.0, 2.0], device=device)
    data = TensorDataset(torch.randn(64, 8), torch.randint(2, (64,)))
    loader = DataLoader(
        data,
        batch_size=8,
        sampler=DistributedSampler(data, num_replicas=xr.world_size(), rank=xr.global_ordinal()),
        drop_last=True)
    trainer = Trainer(nn.Linear(8, 2), loader, torch.optim.SGD, local_rank)
    for epoch in range(2):
        trainer.run_epoch(epoch)
    print(weight.sum().item())


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
