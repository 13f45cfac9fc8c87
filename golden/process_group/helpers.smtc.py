import torch
import torch_xla.core.xla_model as xm


def is_dist_avail_and_initialized():
    if xm.xrt_world_size() == 1:
        return False
    return True


def get_rank():
    if not is_dist_avail_and_initialized():
        return 0
    return xm.get_ordinal()


def get_world_size():
    return xm.xrt_world_size()


def is_main_process():
    if xm.xrt_world_size() > 1 and get_rank() != 0: return False
    return True


distributed = xm.xrt_world_size() > 1
print((xm.xrt_world_size() == 1) == False, xm.get_ordinal(), True)
