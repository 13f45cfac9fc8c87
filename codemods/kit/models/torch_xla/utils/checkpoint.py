"""torch_xla.utils.checkpoint."""

def checkpoint(function, *given, **more):
    return function(*given)
