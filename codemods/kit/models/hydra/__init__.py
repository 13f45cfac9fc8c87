"""Hydra: a program's main function gets its settings from files and the command line."""

from meaning import fresh, make_partial, plain

from . import utils


def main(*given, **more):
    """A decorator: the function it is put on is called without its settings, and gets them."""
    return lambda function: make_partial(function, fresh("settings"))


def initialize(*given, **more):
    return _Context()


initialize_config_dir = initialize_config_module = initialize


class _Context:
    def __enter__(self):
        return None

    def __exit__(self, *given):
        return None


def compose(*given, **more):
    return fresh("settings")


def __getattr__(name):
    return plain("hydra." + name)
