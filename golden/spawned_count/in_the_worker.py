import torch
import torch.multiprocessing as mp


def worker(rank):
    print(torch.cuda.device_count())


if __name__ == "__main__":
    if torch.cuda.device_count() > 1:
        mp.spawn(worker, nprocs=torch.cuda.device_count())
    print(torch.cuda.device_count())
