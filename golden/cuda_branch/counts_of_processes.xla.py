import torch
import torch.multiprocessing as mp


def worker(rank, n):
    print(rank, n)


def main():
    n = torch.cuda.device_count()
    if torch.cuda.device_count() > 1:
        mp.spawn(worker, args=(n,), nprocs=n)
    else:
        worker(0, 1)


main()
