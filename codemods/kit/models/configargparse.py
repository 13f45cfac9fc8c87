"""configargparse: argparse whose options may stand in a file as well."""

from argparse import *  # noqa: F403
from argparse import ArgumentParser

ArgParser = Parser = ArgumentParser


def __getattr__(name):
    return None
