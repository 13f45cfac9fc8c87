import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla
import torch_xla.runtime as xr

from trainer import Trainer


def main():
    local_rank = xr.local_ordinal()
    dataset = TensorDataset(torch.ones(64, 8), torch.zeros(64, dtype=torch.long))
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xr.world_size(), rank=xr.global_ordinal()),
        drop_last=True)
    device = torch_xla.device()
    trainer = Trainer(nn.Linear(8, 4), loader, device)
    torch_xla.manual_seed(torch.initial_seed())
    for epoch in range(3):
        trainer.epoch(epoch)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    torch_xla.launch(_mp_fn)
