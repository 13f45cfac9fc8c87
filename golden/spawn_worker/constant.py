import torch.distributed as dist
import torch.multiprocessing as mp


def run(rank, size, fn):
    dist.init_process_group("gloo", rank=rank, world_size=size)
    fn(rank, size)


def main():
    size = 2
    mp.spawn(run, args=(size, print), nprocs=size)
