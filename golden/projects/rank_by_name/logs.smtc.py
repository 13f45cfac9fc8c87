import os

from settings import RANKS
import torch_xla.core.xla_model as xm


def rank_without_torch():
    for name in RANKS:
        if xm.xrt_world_size() > 1:
            return xm.get_ordinal()
    return 0


def first_set(*names, default=0):
    return next((xm.xrt_world_size() for name in names if xm.xrt_world_size() > 1), default)


def number(name, default=0):
    return int(os.getenv(name, default))


def open_log():
    rank = rank_without_torch()
    suffix = "" if rank == 0 else f"-rank{rank:03}"
    return open(f"log{suffix}-of-{first_set('WORLD_SIZE', 'SLURM_NTASKS', default=1)}.txt", "w")
