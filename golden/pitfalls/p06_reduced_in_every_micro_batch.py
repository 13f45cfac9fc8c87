"""Gradients travel once a step: the reduction belongs inside the condition of the accumulated step."""
import os

import torch
import torch.distributed as dist
from torch.cuda.amp import GradScaler, autocast
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def main(dataset, accumulation_steps=4):
    dist.init_process_group("nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    model = DDP(torch.nn.Linear(16, 4).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    scaler = GradScaler()
    loader = DataLoader(dataset, batch_size=8, sampler=DistributedSampler(dataset), drop_last=True)
    for i, (x, y) in enumerate(loader):
        x, y = x.cuda(local_rank), y.cuda(local_rank)
        with autocast():
            loss = torch.nn.functional.cross_entropy(model(x), y) / accumulation_steps
        scaler.scale(loss).backward()
        if (i + 1) % accumulation_steps == 0:
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()


if __name__ == "__main__":
    main(torch.load("data.pt"))
