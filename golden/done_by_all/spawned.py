import os
import shutil

import torch
import torch.multiprocessing as mp


def worker(rank):
    torch.distributed.init_process_group("nccl", rank=rank, world_size=2)
    shutil.rmtree("runs")


def main():
    shutil.rmtree("runs")
    os.makedirs("runs")
    mp.spawn(worker, nprocs=2)


if __name__ == "__main__":
    main()
