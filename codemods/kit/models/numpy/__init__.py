"""numpy: arrays on the host, and random numbers."""

from meaning import plain

from . import random


def __getattr__(name):
    return plain("numpy." + name)
