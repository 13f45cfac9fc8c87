import torch
import torch.multiprocessing as mp


def demo(rank, world_size):
    print(rank, world_size)


def run_demo(fn, world_size):
    mp.spawn(fn, args=(world_size,), nprocs=world_size, join=True)


def run_packed(packed):
    n = torch.cuda.device_count()
    mp.spawn(demo, args=packed, nprocs=n)
