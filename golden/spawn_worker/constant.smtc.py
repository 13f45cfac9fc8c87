import torch.distributed as dist
import torch.multiprocessing as mp
import torch_xla.core.xla_model as xm


def run(rank, fn):
    size = xm.xrt_world_size()
    dist.init_process_group("gloo", rank=rank, world_size=size)
    fn(rank, size)


def main():
    mp.spawn(run, args=(print,))
