"""alive_progress: what goes through a bar comes out as it was."""

from meaning import harmless


def alive_it(it, *given, **more):
    for element in it:
        yield element


class alive_bar:
    def __init__(self, *given, **more):
        return None

    def __enter__(self):
        return harmless("alive_progress.bar")

    def __exit__(self, *given):
        return None
