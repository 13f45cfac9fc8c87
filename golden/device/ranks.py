import os

import torch
import torch.distributed as dist
from torch import nn


def train(rank, world_size):
    dist.init_process_group("nccl", rank=rank, world_size=world_size)
    model = nn.Linear(4, 2).to(rank)
    ema = nn.Linear(4, 2).to(f"cuda:{rank}")
    for step in range(3):
        x = torch.randn(8, 4).to(device=f"cuda:{rank}", dtype=torch.float32, non_blocking=True)
        y = torch.randint(2, (8,), device=rank)
        loss = nn.functional.cross_entropy(model(x), y)
        print(f"rank {rank} step {step} loss {loss.item()}", ema.weight.to(torch.float16).dtype)


def from_environment():
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank)
    other = torch.device(local_rank)
    torch.ones(2).to(local_rank)
    return device, other


def main():
    world_size = torch.cuda.device_count()
    torch.multiprocessing.spawn(train, args=(world_size,), nprocs=world_size)


if __name__ == "__main__":
    main()


def split(model, x):
    return model[1].to("cuda:1")(model[0].cuda(0)(x).to(1))
