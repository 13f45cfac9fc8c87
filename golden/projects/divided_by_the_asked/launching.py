import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def launch(fn, n_gpu_per_machine, args=()):
    world_size = n_gpu_per_machine
    if world_size > 1:
        mp.spawn(run, nprocs=n_gpu_per_machine, args=(fn, world_size, args))
    else:
        fn(*args)


def run(local_rank, fn, world_size, args):
    dist.init_process_group("nccl", rank=local_rank, world_size=world_size)
    torch.cuda.set_device(local_rank)
    fn(*args)
