"""torch.fx: a traced module does what it did before."""

from meaning import unknown


def symbolic_trace(module, *given, **more):
    return module


def wrap(function):
    return function


def __getattr__(name):
    return unknown("torch.fx." + name)
