import torch
import torch_xla.runtime as xr


def join():
    pass


def rank_and_count():
    if xr.world_size() > 1:
        return xr.global_ordinal(), xr.world_size()
    return 0, 1
