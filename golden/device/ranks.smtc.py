import os

import torch
import torch.distributed as dist
from torch import nn
import torch_xla.core.xla_model as xm


def train(rank, world_size):
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    device = xm.xla_device()
    model = nn.Linear(4, 2).to(device)
    ema = nn.Linear(4, 2).to(device)
    for step in range(3):
        x = torch.randn(8, 4).to(device=device, dtype=torch.float32, non_blocking=True)
        y = torch.randint(2, (8,), device=device)
        loss = nn.functional.cross_entropy(model(x), y)
        print(f"rank {rank} step {step} loss {loss.item()}", ema.weight.to(torch.float16).dtype)


def from_environment():
    local_rank = int(os.environ["LOCAL_RANK"])
    device = xm.xla_device()
    other = xm.xla_device()
    torch.ones(2).to(device)
    return device, other


def main():
    world_size = torch.cuda.device_count()
    torch.multiprocessing.spawn(train, args=(world_size,), nprocs=world_size)


if __name__ == "__main__":
    main()


def split(model, x):
    device = xm.xla_device()
    return model[1].to(device)(model[0].cuda(0)(x).to(device))
