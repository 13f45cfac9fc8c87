"""absl.flags: each flag is an option, the same wherever it is asked."""

from argparse import Namespace

from meaning import by_default, known_text, option


class _Flags(Namespace):
    def __call__(self, argv):
        return argv


FLAGS = _Flags()


class _Holder:
    def __init__(self, name):
        self.name = name
        self.value = option(name)


def _define(name, default=None, *given, **more):
    if known_text(default):
        by_default(name, default)
    return _Holder(name)


def mark_flag_as_required(*given, **more):
    return None


def __getattr__(name):
    return _define
