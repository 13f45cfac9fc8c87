import torch
import torch.multiprocessing as mp


def worker(rank):
    model = torch.nn.DataParallel(torch.nn.Linear(4, 1))
    _tc_migrate_magic_1_ = "!nvidia-smi"


if __name__ == "__main__":
    mp.spawn(worker, nprocs=4)
