import torch
from jobs import mp


def worker(rank, n):
    print(rank, n)


n = torch.cuda.device_count()
mp.spawn(worker, args=(n,), nprocs=n)
