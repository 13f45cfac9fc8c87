"""Integers as devices: every one of them means CUDA."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Trainer:
    def __init__(self, model, loader, optimizer_class, gpu_id):
        self.gpu_id = gpu_id
        self.model = model.to(self.gpu_id)
        self.optimizer = optimizer_class(self.model.parameters(), lr=0.1)
        self.model = DDP(self.model, device_ids=[self.gpu_id])
        self.loader = loader

    def run_epoch(self, epoch):
        self.loader.sampler.set_epoch(epoch)
        for x, y in self.loader:
            x = x.to(self.gpu_id)
            y = y.cuda(self.gpu_id, non_blocking=True)
            self.optimizer.zero_grad()
            loss = nn.functional.cross_entropy(self.model(x), y)
            loss.backward()
            self.optimizer.step()


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    weight = torch.tensor([1.0, 2.0], device=local_rank)
    data = TensorDataset(torch.randn(64, 8), torch.randint(2, (64,)))
    loader = DataLoader(data, batch_size=8, sampler=DistributedSampler(data), drop_last=True)
    trainer = Trainer(nn.Linear(8, 2), loader, torch.optim.SGD, local_rank)
    for epoch in range(2):
        trainer.run_epoch(epoch)
    print(weight.sum().item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
