"""Networks that are made again. A large program makes the same blocks dozens of times, each time of the same arguments.

What making a module came to is kept when it changed nothing that was there before. The next one of that class with
the same arguments is a copy, with weights of its own. Small programs never get here: every `__init__` of theirs is
followed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

from codemods.kit.meaning import shares
from codemods.kit.meaning.bounds import REPEATS, WORTH
from codemods.kit.meaning.choices import key_of
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.parameters import PICKED, note_pick
from codemods.kit.meaning.values import (
    CONSTANTS,
    Bound,
    Choice,
    ClassValue,
    Function,
    Item,
    Obj,
    Partial,
    Running,
    Scope,
    Sym,
    Value,
    container,
)

_SILENT = frozenset("loop|turn|rounds|loop end|enter|library call|print|on host|read|early read|move|device".split("|"))
"""Events that tell nothing new when they happen again."""
_MADE = 0
"""Of no module the number: what came of making them is kept under it."""
_WORLD = ("several", "no_grad", "seeded", "default device", "autocast", "swaps parameters")


class _Foreign(Exception):
    """Something that is no part of a module's own: it is not copied."""


def made_again(
    machine: Machine, cls: ClassValue, arguments: Sequence[Value], keywords: dict[str, Value], run: Callable[[], Value]
) -> Value:
    """A new object of a class: made, or a copy of one that was made of the same."""
    start = cls.find("__init__")
    if not isinstance(start, Function) or start.module.fields.get("__model__"):
        return run()
    if machine.steps < REPEATS:
        return shares.made(machine, cls.name, run)
    key = _signature(machine, cls, (*arguments, *keywords.items()))
    kept = machine.runs.setdefault(_MADE, {})
    if key in kept:
        assumed, made, own = kept[key]
        if assumed <= set(machine.facts.assumed):
            return _Copy(machine, lambda one: one.serial in own).of(made)
    mark, steps, events = machine.heap.mark(), machine.steps, len(machine.record.events)
    said, assumed = len(machine.record.findings), _decided(machine)
    made = shares.made(machine, cls.name, run)
    if key is not None and machine.steps - steps > WORTH and len(machine.record.findings) == said:
        happened = {one.kind for one in machine.record.events[events:]}
        written = [one for one in machine.heap.written_since(mark).now if one[0].serial <= mark.serial]
        if happened <= _SILENT and all(one == (machine.world, "reads") for one in written):
            with contextlib.suppress(_Foreign):
                copy = _Copy(machine, lambda one: one.serial > mark.serial)
                kept[key] = assumed, copy.of(made), frozenset(one.serial for one in copy.made.values())
    return made


def _decided(machine: Machine) -> frozenset[Any]:
    """What is assumed, but for which of several classes is made: that decides nothing in them."""
    return frozenset(one for one in machine.facts.assumed if not isinstance(one[0], tuple) or one[0][:1] != ("pick",))


def _signature(machine: Machine, cls: ClassValue, given: Sequence[Value]) -> Any:
    """What decides how an object is made; None where that cannot be told."""
    try:
        world = tuple(repr(machine.facts.settle(machine.world.fields.get(name))) for name in _WORLD)
        return id(cls), world, tuple(_kind(machine, one, 0) for one in given)
    except _Foreign:
        return None


def _kind(machine: Machine, value: Value, depth: int) -> Any:
    value = machine.facts.settle(value)
    if isinstance(value, (*CONSTANTS, Sym)):
        return key_of(value)
    if isinstance(value, (Function, ClassValue)):
        return id(value)
    if isinstance(value, Choice):
        return tuple((facts, _kind(machine, one, depth + 1)) for facts, one in value.options)
    if isinstance(value, tuple) and depth < 4:
        return tuple(_kind(machine, one, depth + 1) for one in value)
    if isinstance(value, Partial) and depth < 4:
        return tuple(_kind(machine, one, depth + 1) for one in (value.function, *value.arguments, *value.keywords))
    if container(value) and depth < 4:
        names = {(str(name), getattr(name, "key", name)) for name in value.fields}
        return frozenset(names), tuple(_kind(machine, one, depth + 1) for one in value.fields.values())
    if isinstance(value, Obj) and value.cls == "unknown" and not value.fields.get("@deps"):
        handed_over = str(value.fields.get("@why")).endswith("keywords") or value.fields.get("@why") == "a keyword"
        return ("unknown", value.fields.get("@taints")) if handed_over else value.serial
    raise _Foreign


class _Copy:
    """A copy of what is its own, each object once; the rest is shared."""

    def __init__(self, machine: Machine, own: Callable[[Obj], bool]) -> None:
        self._machine, self._own = machine, own
        self.made: dict[int, Obj] = {}

    def of(self, value: Value) -> Value:
        if isinstance(value, Obj):
            return self._object(value)
        if isinstance(value, tuple) and type(value) is tuple:
            return tuple(map(self.of, value))
        if isinstance(value, frozenset) and any(isinstance(one, Obj) for one in value):
            return frozenset(map(self.of, value))
        if isinstance(value, Choice):
            return Choice(tuple((facts, self.of(one)) for facts, one in value.options))
        if isinstance(value, Bound):
            return Bound(self.of(value.function), self.of(value.receiver))
        if isinstance(value, Partial):
            keywords = tuple((name, self.of(one)) for name, one in value.keywords)
            return Partial(self.of(value.function), tuple(map(self.of, value.arguments)), keywords)
        if isinstance(value, Running) or (isinstance(value, Function) and self._own(value.scope)):
            raise _Foreign
        return value

    def _object(self, value: Obj) -> Obj:
        if not self._own(value):
            return value
        if isinstance(value, Scope):
            raise _Foreign
        if value.serial not in self.made:
            made = Obj(value.cls, value.site, self._machine.heap.serial())
            self.made[value.serial] = made
            made.fields.update({self._name(name): self.of(one) for name, one in value.fields.items()})
            if PICKED in made.fields:
                note_pick(self._machine, made)
        return self.made[value.serial]

    def _name(self, name: Any) -> Any:
        """The name of a field: an item of a dict may be under an object."""
        if isinstance(name, Item) and isinstance(name.key, tuple) and name.key[:1] == ("object",):
            raise _Foreign
        return name
