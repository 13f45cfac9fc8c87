"""einops: tensors in another order and shape."""

from meaning import combine, fresh


def rearrange(tensor, pattern, **sizes):
    return combine(tensor)


reduce = repeat = einsum = rearrange


def pack(tensors, pattern):
    return combine(tensors), [fresh("shape")]


def unpack(tensor, shapes, pattern):
    return [combine(tensor) for one in shapes]


def parse_shape(tensor, pattern):
    return fresh("shape")
