"""Integers as devices: every one of them means CUDA."""

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler
import torch_xla.core.xla_model as xm
import torch_xla.distributed.parallel_loader as pl


class Trainer:
    def __init__(self, model, loader, optimizer_class, gpu_id):
        self.gpu_id = gpu_id
        device = xm.xla_device()
        self.model = model.to(device)
        self.optimizer = optimizer_class(self.model.parameters(), lr=0.1)
        self.loader = loader

    def run_epoch(self, epoch):
        self.loader.sampler.set_epoch(epoch)
        device = xm.xla_device()
        for x, y in pl.MpDeviceLoader(self.loader, device):
            self.optimizer.zero_grad()
            loss = nn.functional.cross_entropy(self.model(x), y)
            loss.backward()
            xm.optimizer_step(self.optimizer)


def main():
    local_rank = xm.get_local_ordinal()
    torch.manual_seed(0)
    xm.set_rng_state(0)
    device = xm.xla_device()
    weight = torch.tensor([1.0, 2.0], device=device)
    data = TensorDataset(torch.randn(64, 8), torch.randint(2, (64,)))
    loader = DataLoader(
        data,
        batch_size=8,
        sampler=DistributedSampler(data, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()),
        drop_last=True)
    trainer = Trainer(nn.Linear(8, 2), loader, torch.optim.SGD, local_rank)
    for epoch in range(2):
        trainer.run_epoch(epoch)
    print(weight.sum().item())


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
