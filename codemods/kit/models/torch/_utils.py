"""torch._utils: tensors put together into a flat one, and taken apart again."""

from meaning import combine


def _flatten_dense_tensors(tensors):
    return combine(*tensors)


def _unflatten_dense_tensors(flat, tensors):
    return [combine(flat) for one in tensors]
