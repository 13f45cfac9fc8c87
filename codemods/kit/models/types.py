"""types: a namespace keeps what it is given; the rest are classes of plain values."""

from meaning import plain


class SimpleNamespace:
    def __init__(self, *given, **more):
        for one in given:
            self.__dict__.update(one)
        for name, value in more.items():
            setattr(self, name, value)


def __getattr__(name):
    return plain("types." + name)
