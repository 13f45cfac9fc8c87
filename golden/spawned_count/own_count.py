import torch.multiprocessing as mp
from devices import cuda


def worker(rank, n):
    print(n)


n = cuda.device_count()
mp.spawn(worker, args=(n,), nprocs=n)
