import torch
import torch.distributed as dist


def is_dist_avail_and_initialized():
    if not dist.is_available():
        return False
    if not dist.is_initialized():
        return False
    return True


def get_rank():
    if not is_dist_avail_and_initialized():
        return 0
    return dist.get_rank()


def get_world_size():
    return dist.get_world_size() if dist.is_available() and dist.is_initialized() else 1


def is_main_process():
    if torch.distributed.is_initialized() and get_rank() != 0: return False
    return True


distributed = dist.is_available() and dist.is_initialized()
print((not dist.is_initialized()) == False, dist.get_rank(group=None), dist.is_available())
