"""absl: the main function is run with the command line, whose flags are options."""

from meaning import plain

from . import app, flags


def __getattr__(name):
    return plain("absl." + name)
