"""The number of GPUs is the number of processes; the local rank is computed from it."""
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def worker(rank, world_size, batch_size):
    dist.init_process_group("nccl", init_method="tcp://127.0.0.1:23456", rank=rank, world_size=world_size)
    local_rank = rank % torch.cuda.device_count()
    torch.manual_seed(0)
    model = DDP(nn.Linear(4, 1).to(local_rank), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1 * world_size)
    for _ in range(4):
        x = torch.randn(batch_size // world_size, 4, device=local_rank)
        optimizer.zero_grad()
        model(x).mean().backward()
        optimizer.step()
    dist.destroy_process_group()


def main():
    world_size = torch.cuda.device_count()
    mp.spawn(worker, nprocs=world_size, args=(world_size, 64))


if __name__ == "__main__":
    main()
