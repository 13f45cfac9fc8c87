import torch
import torch_xla.core.xla_model as xm


def launch(fn, n_gpu_per_machine, args=()):
    world_size = n_gpu_per_machine
    if world_size > 1:
        run(xm.get_ordinal(), fn, args)
    else:
        fn(*args)


def run(local_rank, fn, args):
    fn(*args)
