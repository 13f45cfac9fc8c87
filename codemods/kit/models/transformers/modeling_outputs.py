"""transformers.modeling_outputs: results by name and, of those that are there, by place."""


class ModelOutput:
    def __init__(self, **given):
        for name, value in given.items():
            setattr(self, name, value)

    def to_tuple(self):
        return tuple([value for value in self.__dict__.values() if value is not None])

    def __getitem__(self, key):
        return getattr(self, key) if isinstance(key, str) else self.to_tuple()[key]

    def __iter__(self):
        return iter(self.to_tuple())

    def __contains__(self, name):
        return hasattr(self, name)

    def keys(self):
        return self.__dict__.keys()

    def values(self):
        return self.__dict__.values()

    def items(self):
        return self.__dict__.items()

    def get(self, name, default=None):
        return getattr(self, name, default)


def __getattr__(name):
    return ModelOutput
