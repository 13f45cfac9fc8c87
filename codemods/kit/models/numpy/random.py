"""numpy.random."""

from meaning import event, plain


def seed(number=None):
    event("seed", "numpy")


def __getattr__(name):
    return plain("numpy.random." + name)
