import os

from settings import RANKS


def rank_without_torch():
    for name in RANKS:
        if name in os.environ:
            return int(os.environ[name])
    return 0


def first_set(*names, default=0):
    return next((int(os.environ[name]) for name in names if name in os.environ), default)


def number(name, default=0):
    return int(os.getenv(name, default))


def open_log():
    rank = rank_without_torch()
    suffix = "" if rank == 0 else f"-rank{rank:03}"
    return open(f"log{suffix}-of-{first_set('WORLD_SIZE', 'SLURM_NTASKS', default=1)}.txt", "w")
