"""typer: commands are functions, whose parameters are the command line."""

from click import _Command
from meaning import from_options, plain, symbol


def _nothing():
    return None


class Typer(_Command):
    def __init__(self, *given, **more):
        self.callback = _nothing
        self._commands = []

    def callback(self, *given, **more):
        return lambda function: function

    def add_typer(self, other, **more):
        self._commands.append(other)


def run(function):
    return from_options(function)


def __getattr__(name):
    return plain("typer." + name)
