"""dataclasses: objects that get their fields from the call."""

from meaning import make_dataclass, make_field, plain


def dataclass(cls=None, **more):
    if more.get("slots"):
        return lambda inner: _with_slots(make_dataclass(inner))
    return make_dataclass(cls) if cls is not None else (lambda inner: make_dataclass(inner))


def _with_slots(cls):
    cls.__slots__ = ()
    return cls


def field(default=None, default_factory=None, **more):
    return make_field(default, default_factory)


def asdict(value):
    return value.__dict__


def replace(value, **more):
    for name, one in more.items():
        setattr(value, name, one)
    return value


def __getattr__(name):
    return plain("dataclasses." + name)
