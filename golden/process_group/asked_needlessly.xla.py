import torch_xla.runtime as xr


def world():
    world_size = xr.world_size()
    rank = xr.global_ordinal()
    return world_size, rank


def print_once(text):
    if xr.global_ordinal() == 0:
        print(text)


def check():
    if xr.global_ordinal() != 0:
        raise RuntimeError
    if xr.world_size() > 1:
        print("several")


def kept():
    first = xr.world_size() > 1 and xr.global_ordinal() == 0
    other = xr.global_ordinal() if xr.world_size() > 1 else -1
    return first, other
