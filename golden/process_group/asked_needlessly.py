import torch.distributed as dist


def world():
    world_size = dist.get_world_size() if dist.is_initialized() else 1
    rank = 0 if not dist.is_initialized() else dist.get_rank()
    return world_size, rank


def print_once(text):
    if not dist.is_initialized() or dist.get_rank() == 0:
        print(text)


def check():
    if dist.is_initialized() and dist.get_rank() != 0:
        raise RuntimeError
    if dist.is_available() and dist.is_initialized() and dist.get_world_size() > 1:
        print("several")


def kept():
    first = dist.is_initialized() and dist.get_rank() == 0
    other = dist.get_rank() if dist.is_initialized() else -1
    return first, other
