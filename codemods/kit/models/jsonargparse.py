"""jsonargparse: a function's parameters are the command line, or the options are declared as with argparse."""

from argparse import ArgumentParser, Namespace
from meaning import from_options, plain


def CLI(component=None, *given, **more):
    if component is not None:
        return from_options(component)


auto_cli = CLI


def __getattr__(name):
    return plain("jsonargparse." + name)
