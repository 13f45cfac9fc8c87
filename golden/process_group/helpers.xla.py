import torch
import torch_xla.runtime as xr


def is_dist_avail_and_initialized():
    if xr.world_size() == 1:
        return False
    return True


def get_rank():
    if not is_dist_avail_and_initialized():
        return 0
    return xr.global_ordinal()


def get_world_size():
    return xr.world_size()


def is_main_process():
    if xr.world_size() > 1 and get_rank() != 0: return False
    return True


distributed = xr.world_size() > 1
print((xr.world_size() == 1) == False, xr.global_ordinal(), True)
