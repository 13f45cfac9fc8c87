"""progressbar: what goes through a bar comes out as it was."""

from meaning import harmless


def progressbar(iterator, *given, **more):
    for element in iterator:
        yield element


class ProgressBar:
    def __init__(self, *given, **more):
        return None

    def __call__(self, iterable, *given, **more):
        for element in iterable:
            yield element

    def __enter__(self):
        return self

    def __exit__(self, *given):
        return None

    def update(self, *given, **more):
        harmless("progressbar.update")(*given, *more.values())

    def start(self, *given, **more):
        return self

    def finish(self, *given, **more):
        return None
