import torch
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset
import torch_xla.core.xla_model as xm

from trainer import Trainer


def main():
    local_rank = xm.get_local_ordinal()
    dataset = TensorDataset(torch.ones(64, 8), torch.zeros(64, dtype=torch.long))
    loader = DataLoader(
        dataset,
        batch_size=8,
        sampler=DistributedSampler(dataset, num_replicas=xm.xrt_world_size(), rank=xm.get_ordinal()),
        drop_last=True)
    device = xm.xla_device()
    trainer = Trainer(nn.Linear(8, 4), loader, device)
    xm.set_rng_state(torch.initial_seed())
    for epoch in range(3):
        trainer.epoch(epoch)


def _mp_fn(index):
    main()


if __name__ == "__main__":
    main()
