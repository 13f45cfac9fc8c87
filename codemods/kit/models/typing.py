"""typing: named tuples get their fields from the call; the rest is for who reads the program."""

from meaning import plain

TYPE_CHECKING = False


class NamedTuple:
    __dataclass__ = True
    __fields__ = ()

    def __iter__(self):
        for name in self.__fields__:
            yield getattr(self, name)

    def __getitem__(self, index):
        return [one for one in self][index]

    def _asdict(self):
        return {name: getattr(self, name) for name in self.__fields__}

    def _replace(self, **more):
        return self.__class__(**{**self._asdict(), **more})


def cast(kind, value):
    return value


def __getattr__(name):
    return plain("typing." + name)
