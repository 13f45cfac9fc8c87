"""Helpers in the manner of the torchvision references."""
import torch
import torch_xla.core.xla_model as xm


def is_dist_avail_and_initialized():
    if xm.xrt_world_size() == 1:
        return False
    return True


def get_world_size():
    if not is_dist_avail_and_initialized():
        return 1
    return xm.xrt_world_size()


def get_rank():
    if not is_dist_avail_and_initialized():
        return 0
    return xm.get_ordinal()


def is_main_process():
    return get_rank() == 0


def reduce_across_processes(val):
    if not is_dist_avail_and_initialized():
        return torch.tensor(val)
    device = xm.xla_device()
    t = torch.tensor(val, device=device)
    xm.rendezvous("reduce_across_processes")
    xm.all_reduce(xm.REDUCE_SUM, [t])
    xm.mark_step()
    return t


def save_on_master(*args, **kwargs):
    xm.save(*args, **kwargs)
