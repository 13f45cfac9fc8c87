"""collections: containers that are lists and dicts here."""

from meaning import plain


class OrderedDict(dict):
    pass


class Counter(dict):
    pass


class UserDict(dict):
    pass


class deque(list):
    pass


class defaultdict(dict):
    def __init__(self, factory=None, *given):
        self.default_factory = factory


def namedtuple(name, fields, **more):
    return _Named


class _Named:
    def __init__(self, *given, **more):
        self._all = given
        for name, value in more.items():
            setattr(self, name, value)

    def __iter__(self):
        for one in self._all:
            yield one

    def __getitem__(self, index):
        return self._all[index]

    def __getattr__(self, name):
        from meaning import unknown
        return unknown("a field of a namedtuple", *self._all)


def __getattr__(name):
    return plain("collections." + name)
