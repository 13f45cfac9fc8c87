"""A function that runs before the processes start reads the rank of a process: nobody can say it there."""
import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def get_rank():
    return int(os.environ["RANK"])


def worker(index, rank, gpus):
    dist.init_process_group("nccl", rank=index, world_size=gpus)
    if rank == 0:
        print("training")


if __name__ == "__main__":
    gpus = torch.cuda.device_count()
    rank = get_rank()
    mp.spawn(worker, nprocs=gpus, args=(rank, gpus))
