import torch
import torch_xla


def launch(fn, n_gpu_per_machine, args=()):
    world_size = n_gpu_per_machine
    if world_size > 1:
        torch_xla.launch(run, args=(fn, args))
    else:
        fn(*args)


def run(local_rank, fn, args):
    fn(*args)
