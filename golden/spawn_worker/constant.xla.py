import torch.distributed as dist
import torch.multiprocessing as mp
import torch_xla.runtime as xr


def run(rank, fn):
    size = xr.world_size()
    dist.init_process_group("gloo", rank=rank, world_size=size)
    fn(rank, size)


def main():
    mp.spawn(run, args=(print,))
