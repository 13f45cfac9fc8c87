import os

import torch
import torch.distributed as dist
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from trainer import Trainer


def main():
    dist.init_process_group("nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dataset = TensorDataset(torch.ones(64, 8), torch.zeros(64, dtype=torch.long))
    loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset), drop_last=True)
    trainer = Trainer(nn.Linear(8, 4), loader, torch.device("cuda", local_rank))
    for epoch in range(3):
        trainer.epoch(epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
