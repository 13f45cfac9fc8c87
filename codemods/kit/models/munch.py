"""munch: a dict whose items are attributes too."""


class Munch(dict):
    def __init__(self, given=None, *more, **others):
        for mapping in (given, others):
            if mapping is not None:
                for name, value in mapping.items():
                    self[name] = Munch(value) if isinstance(value, dict) else value

    def __getattr__(self, name):
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value


DefaultMunch = AutoMunch = Munch


def munchify(value):
    return Munch(value)
