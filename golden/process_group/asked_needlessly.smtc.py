import torch_xla.core.xla_model as xm


def world():
    world_size = xm.xrt_world_size()
    rank = xm.get_ordinal()
    return world_size, rank


def print_once(text):
    if xm.get_ordinal() == 0:
        print(text)


def check():
    if xm.get_ordinal() != 0:
        raise RuntimeError
    if xm.xrt_world_size() > 1:
        print("several")


def kept():
    first = xm.xrt_world_size() > 1 and xm.get_ordinal() == 0
    other = xm.get_ordinal() if xm.xrt_world_size() > 1 else -1
    return first, other
