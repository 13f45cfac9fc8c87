"""The values of abstract execution: what a training program's expressions can stand for.

A Python constant (None, a bool, a number, a string) and a tuple stand for themselves. Everything else is one of the
classes below. Only an `Obj` can change, and only through the heap. Those made in every call are dataclasses that Python
does not freeze, since a frozen one takes thrice the time to make; nobody changes them all the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any, TypeAlias

Value: TypeAlias = Any
"""Any value of abstract execution. Rooms narrow it with isinstance."""
Key: TypeAlias = Hashable
"""What a symbol is called: equal keys are the same unknown number, flag or string."""
Taints: TypeAlias = frozenset[Any]

NO_TAINTS: Taints = frozenset()
RANK = "rank"
"""Differs between the processes by its very meaning: a rank, an ordinal."""
LOCAL = "local"
"""Came from data that each process has of its own: a loss of its batch, a score of its statistics."""
VARYING = "varying"
"""A Python number that is another one in each iteration."""
RANDOM = "random"
"""Chance decides it."""
PERHAPS = "perhaps local"
"""Read of what was computed of data of which it is not known whether each process has its own."""
OF_ALL = "of all"
"""Made of what all processes have."""
OWN = "own"
"""Each process asks for it by itself, and may be told something else: the clock, whether a file is there."""
DRAWN = "drawn"
"""Random numbers that each process draws for itself."""
DIFFERS = frozenset({RANK, LOCAL, DRAWN})
"""What is another in each process."""
FRESH = "fresh"
"""With a loop: was filled with random numbers while that loop ran, or one inside of it."""
APART = "apart"
"""With why and where: in some processes it was made of other weights than in others."""
DIVIDED = "divided"
"""Divided by a number that is not the number of processes."""
BY_WORLD = "divided by the world"
"""Divided by the number of processes."""
OWN_FILE = "own file"
"""Comes from a file that the program wrote itself before."""
UNPLACED = "unplaced"
"""Loaded without a word of where to."""
FROZEN = "frozen"
"""With a place: went through the batch norm in eval mode that is called there."""
RAGGED = "ragged"
"""The length of what is longest in a batch."""
PLAIN = "@plain"
"""The field of a module of plain values that has what it is when it is called: `json.dumps` may be either."""
TAKEN = "@taken"
"""The field of an iterator, or of a generator's variables, with how many of its elements were asked for."""
LOADED = "loaded"
"""Came from a checkpoint."""
HOLDER = "@holder"
"""The field of a parameter with the module that was given it first."""
SHARED = "@shared"
"""The field of a parameter of a module that stands for many: the program has given one of these another's."""
PARTED = "@untied from"
"""The field of a parameter with the one that it was the same as, until a move."""
CONSTANTS = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))


class _Named:
    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


UNBOUND = _Named("UNBOUND")
"""What a name holds on a path that never assigned it."""
ABSENT = _Named("ABSENT")
"""No such entry; never a value of the program."""


@dataclass(unsafe_hash=True, slots=True)
class Site:
    """A place in the program's own text."""

    path: str
    line: int
    function: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


MAX_PARTS = 256
"""Of more parts no key is made: what is so long is unknown, and equal to nothing but itself."""
_LONG = count()


@dataclass(unsafe_hash=True, slots=True)
class Sym:
    """A number, flag or string that is not known, but is the same wherever its key is."""

    key: Key
    taints: Taints = NO_TAINTS
    kind: type | None = field(default=None, compare=False)
    """Its class, if that is known."""

    def __post_init__(self) -> None:
        if not _is_short(self.key):
            self.key = ("long", next(_LONG))


def _is_short(key: Key) -> bool:
    """Whether a key is made of few parts: one in which parts stand many times grows without end (`x = x + x`)."""
    seen, rest = 0, [key]
    while rest:
        one = rest.pop()
        if type(one) is tuple:
            rest += one
            seen += len(one)
            if seen > MAX_PARTS:
                return False
    return True


class Obj:
    """A mutable object. `fields` are its attributes; items of a container are fields too, named by `Item`."""

    __slots__ = ("cls", "fields", "serial", "site")

    def __init__(self, cls: Value, site: Site, serial: int, fields: dict[Any, Value] | None = None) -> None:
        self.cls = cls
        self.fields: dict[Any, Value] = {} if fields is None else fields
        self.site = site
        self.serial = serial

    def __repr__(self) -> str:
        return f"<{getattr(self.cls, 'name', self.cls)} {self.serial}>"


class Scope(Obj):
    """The variables of a call, a module or a class body. `names` are those that Python binds here."""

    __slots__ = ("is_class", "names", "parent")

    def __init__(
        self, site: Site, serial: int, parent: Scope | None, names: frozenset[str], is_class: bool = False
    ) -> None:
        super().__init__("scope", site, serial)
        self.parent = parent
        self.names = names
        self.is_class = is_class


@dataclass(unsafe_hash=True, slots=True)
class Item:
    """The field of a dict under one key. A key that is a symbol is an item of its own."""

    key: Any


ELEMENTS = "[]"
"""The field of a list or set: a tuple of its elements."""
REST = "[*]"
"""The field of a container that holds more than is listed: what such an element may be."""
MANY = "[+]"
"""The field of a container into which an iteration that stands for many has put something: its length is not known. It
holds why processes may have put in more or less, or True."""


@dataclass(eq=False, slots=True)
class Function:
    """A function with the scope it was defined in."""

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    module: Obj
    defaults: tuple[Value, ...] = ()
    keyword_defaults: tuple[tuple[str, Value], ...] = ()
    owner: ClassValue | None = None
    """The class whose body defined it: where `super()` starts."""
    generates: bool = False
    marks: frozenset[str] = frozenset()
    """Decorators that say how it is bound: property, staticmethod, classmethod, no_grad."""


@dataclass(eq=False, slots=True)
class Bound:
    """A method with its object."""

    function: Value
    receiver: Value


@dataclass(eq=False, slots=True)
class Primitive:
    """A function of the engine's own: what models and builtins stand on. It gets the machine and the arguments."""

    name: str
    run: Callable[..., Value]


@dataclass(eq=False)
class ClassValue:
    """A class of the program or of a model. `space` holds its namespace."""

    name: str
    space: Obj
    bases: tuple[Value, ...] = ()
    module: str = ""
    order: tuple[Value, ...] = field(default=())
    """Method resolution order, itself first. A base that is not known stands in it as it is."""
    qualified: frozenset[str] = frozenset()
    """The full names of the classes in that order."""
    container: str = ""
    """Which of Python's containers it is or derives from, if any."""
    namespaces: tuple[dict[Any, Value], ...] = ()
    """What the classes in that order hold themselves, of those that are known."""

    def __post_init__(self) -> None:
        seen: list[Value] = [self]
        for base in self.bases:
            for one in base.order if isinstance(base, ClassValue) else (base,):
                if one in seen:
                    seen.remove(one)
                seen.append(one)
        self.order = tuple(seen)
        known = [one for one in seen if isinstance(one, ClassValue)]
        self.qualified = frozenset(f"{one.module}.{one.name}" for one in known)
        self.namespaces = tuple(one.space.fields for one in known)
        plain = (one.name for one in known if one.module == "builtins" and one.name in ("list", "dict", "set"))
        self.container = next(plain, "")

    @property
    def known(self) -> bool:
        """Whether all of its bases are read."""
        return all(isinstance(one, ClassValue) for one in self.order)

    def find(self, name: str) -> Value:
        """What a name is in it or the nearest of its bases; ABSENT if in none that is known."""
        for namespace in self.namespaces:
            if name in namespace:
                return namespace[name]
        return ABSENT


@dataclass(frozen=True, eq=False)
class Partial:
    """A function with some of its arguments: functools.partial, and a decorator's configured call."""

    function: Value
    arguments: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


@dataclass(eq=False, slots=True)
class Choice:
    """One of several values. Each holds under facts: (key, truth) pairs."""

    options: tuple[tuple[frozenset[tuple[Key, bool]], Value], ...]
    serial: int = field(default_factory=count().__next__)
    """A number no other choice has: an identity may be that of one that is gone."""

    def __iter__(self) -> Iterator[Value]:
        return (value for _, value in self.options)


@dataclass(frozen=True, eq=False)
class Running:
    """A generator: a call of a generating function whose body runs when somebody asks for elements."""

    function: Function
    scope: Scope


def class_name(value: Value) -> str:
    """What the class of an object is called."""
    cls = value.cls if isinstance(value, Obj) else None
    return cls.name if isinstance(cls, ClassValue) else str(cls)


def by_age(objects: Iterable[Obj]) -> list[Obj]:
    """Objects in the order in which they were made: a set has another one each time."""
    return sorted(objects, key=lambda one: one.serial)


def is_a(value: Value, name: str) -> bool:
    """Whether a value is an object of the model class `name`."""
    return isinstance(value, Obj) and isinstance(value.cls, ClassValue) and name in value.cls.qualified


def data_of(taints: Taints) -> Taints:
    """Of what taints a value: whose data it was made of."""
    return frozenset(one for one in taints if isinstance(one, tuple) and one[0] == "data")


def container(value: Value) -> str:
    """Which of Python's containers an object is: "list", "dict", "set", or "" for none of them."""
    return value.cls.container if isinstance(value, Obj) and isinstance(value.cls, ClassValue) else ""


def item_key(value: Value) -> Any:
    """What names the item of a dict under this key."""
    if isinstance(value, Obj):
        return ("object", value.serial)
    if isinstance(value, tuple):
        return tuple(map(item_key, value))
    try:
        hash(value)
    except TypeError:
        return ("id", id(value))
    return value
