"""rich.progress: what goes through a bar comes out as it was."""

from meaning import harmless


def track(sequence, *given, **more):
    for element in sequence:
        yield element


class Progress:
    def __init__(self, *given, **more):
        return None

    def __enter__(self):
        return self

    def __exit__(self, *given):
        return None

    def track(self, sequence, *given, **more):
        for element in sequence:
            yield element

    def update(self, *given, **more):
        harmless("rich.progress")(*given, *more.values())

    add_task = advance = update

    def start(self):
        return None

    stop = start
