"""Python's builtin functions that need the engine itself. The others are a model, `models/builtins.py`."""

from __future__ import annotations

import builtins
import contextlib
from typing import Any

from codemods.kit.meaning.by_text import evaluated, variables
from codemods.kit.meaning.choices import LENGTH, options_of
from codemods.kit.meaning.containers import make_classes
from codemods.kit.meaning.graph import happen, read
from codemods.kit.meaning.imported import module_named
from codemods.kit.meaning.iteration import iterate, take
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.modules import plain_function
from codemods.kit.meaning.partings import COUNT, last, part
from codemods.kit.meaning.paths import Dead, Stopped
from codemods.kit.meaning.python_objects import get_named, has_named, is_instance, set_named, super_, type_, vars_
from codemods.kit.meaning.record import Event
from codemods.kit.meaning.tensors import gather, is_tensor
from codemods.kit.meaning.texts import tell, text_of
from codemods.kit.meaning.values import (
    ABSENT,
    CONSTANTS,
    DIFFERS,
    ELEMENTS,
    NO_TAINTS,
    OWN,
    REST,
    TAKEN,
    VARYING,
    Choice,
    ClassValue,
    Function,
    Obj,
    Primitive,
    Running,
    Sym,
    Value,
)

_EXCEPTIONS = tuple(
    name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, BaseException)
)
_UNROLLED = 4
"""A range of at most so many numbers is gone through number by number."""


def fill(machine: Machine) -> None:
    """Give the machine its builtins."""
    machine.types.update(make_classes(machine))
    given: dict[str, Value] = {name: Primitive(name, run) for name, run in _FUNCTIONS.items()}
    given.update(machine.types)
    given.update({name: machine.types.get(name) or Primitive(name, _made) for name in ("frozenset", "object")})
    given.update(
        {name: plain_function(name) for name in vars(builtins) if name not in given and not name.startswith("_")}
    )
    given["frozenset"] = machine.types["set"]
    given.update({name: Primitive(name, _made) for name in _EXCEPTIONS})
    given.update(NotImplemented=machine.symbol("NotImplemented"))
    machine.builtins = given


def _made(machine: Machine, *given: Value, **more: Value) -> Value:
    return machine.unknown("an object of a builtin class")


def _print(machine: Machine, *given: Value, **more: Value) -> None:
    happen(machine, "print")
    text_of(machine, given, "print")


def _number(machine: Machine, given: Value = 0, *more: Value) -> Value:
    return _converted(machine, given, float, "float()")


def _integer(machine: Machine, given: Value = 0, *more: Value) -> Value:
    return _converted(machine, given, int, "int()")


def _string(machine: Machine, given: Value = "", *more: Value) -> Value:
    tell(machine, given)
    return _converted(machine, given, str, "str()")


def _bool(machine: Machine, given: Value = False) -> Value:
    given = machine.facts.settle(given)
    if is_tensor(given):
        return read(machine, given, "bool()")
    test = machine.truth(given)
    return test.value if test.value is not None else given


def _converted(machine: Machine, given: Value, kind: Any, how: str) -> Value:
    given = machine.facts.settle(given)
    if isinstance(given, Choice):
        return machine.each(given, lambda one: _converted(machine, one, kind, how))
    if isinstance(given, CONSTANTS):
        try:
            return kind(given)
        except (ValueError, TypeError):
            return machine.symbol(how)
    if isinstance(given, Sym):
        return given
    return read(machine, given, how)


def _len(machine: Machine, given: Value) -> Value:
    given = machine.facts.settle(given)
    if isinstance(given, (tuple, str)):
        return len(given)
    if isinstance(given, Obj) and isinstance(given.cls, ClassValue) and not is_tensor(given):
        method = given.cls.find("__len__")
        if method is not ABSENT:
            return machine.call(method, given)
    if isinstance(given, Choice):
        return machine.each(given, lambda one: _len(machine, one))
    if isinstance(given, Sym):
        return Sym((LENGTH, given.key), given.taints & (DIFFERS | {OWN}))
    return Sym(("length", given.serial if isinstance(given, Obj) else machine.site), NO_TAINTS)


def _range(machine: Machine, *given: Value) -> Value:
    settled = [machine.facts.settle(one) for one in given]
    bounds = [read(machine, one, "range()") if is_tensor(one) else one for one in settled]
    if all(isinstance(one, int) for one in bounds):
        try:
            numbers = range(*bounds)
        except (TypeError, ValueError):
            numbers = range(0)
        if len(numbers) <= _UNROLLED:
            return machine.new("list", {ELEMENTS: tuple(numbers), COUNT: last(bounds)})
    taints = gather(machine, bounds).taints | {VARYING}
    return machine.new("list", {REST: Sym(("number", machine.heap.serial()), taints), COUNT: last(bounds)})


def _iter(machine: Machine, given: Value, *more: Value) -> Value:
    given = machine.facts.settle(given)
    if machine.watcher is not None:
        for one in options_of(machine.facts, given):
            machine.watcher.epochs.go_through(machine, one, iterator=not machine.frame.model)
    if isinstance(given, Obj) and isinstance(given.cls, ClassValue):
        method = given.cls.find("__iter__")
        if isinstance(method, Function):
            given = machine.call(method, given)
    return machine.new("iterator", {"of": given, TAKEN: 0})


def _next(machine: Machine, given: Value, *default: Value) -> Value:
    given = machine.facts.settle(given)
    if isinstance(given, Choice):
        return machine.each(given, lambda one: _next(machine, one, *default))
    if isinstance(given, Obj) and isinstance(given.cls, ClassValue):
        method = given.cls.find("__next__")
        if method is not ABSENT:
            return machine.call(method, given)
    if isinstance(given, Obj) and given.cls == "iterator":
        inner = machine.facts.settle(given.fields["of"])
        skip = _taken(machine, given)
        return take(machine, inner, skip) if isinstance(inner, Running) else _first(machine, inner)
    if isinstance(given, Running):
        return take(machine, given, _taken(machine, given.scope))
    return _first(machine, given)


def _taken(machine: Machine, iterator: Obj) -> int:
    """Whether elements were taken already. One more is now."""
    taken = iterator.fields[TAKEN]
    machine.heap.write(iterator, TAKEN, 1)
    return 0 if taken == 0 else 1


def _first(machine: Machine, given: Value) -> Value:
    found: list[Value] = []
    with contextlib.suppress(Dead):
        iterate(machine, given, found.append, begun=True)
    return found[0] if found else machine.unknown("an element of what is not known")


def _tuple(machine: Machine, given: Value = ()) -> Value:
    return tuple(machine.elements(given))


def _input(machine: Machine, *given: Value) -> Value:
    happen(machine, "alone", "input()")
    return machine.symbol("input")


def _exit(machine: Machine, *given: Value) -> Value:
    happen(machine, "exit")
    part(machine, "ends")
    raise Stopped


def _exec(machine: Machine, *given: Value, **more: Value) -> None:
    """Text is run as a program. What it sets is not followed: this module's values are taken as they are written."""
    machine.record.events.append(Event("text", machine.site, machine.chain()))


_FUNCTIONS: dict[str, Any] = {
    "exec": _exec,
    "print": _print,
    "float": _number,
    "int": _integer,
    "str": _string,
    "bool": _bool,
    "len": _len,
    "range": _range,
    "isinstance": is_instance,
    "issubclass": lambda machine, *given: machine.symbol("issubclass"),
    "callable": lambda machine, given: machine.symbol("callable"),
    "getattr": get_named,
    "hasattr": has_named,
    "setattr": set_named,
    "delattr": lambda machine, *given: None,
    "super": super_,
    "type": type_,
    "iter": _iter,
    "next": _next,
    "tuple": _tuple,
    "input": _input,
    "exit": _exit,
    "quit": _exit,
    "vars": vars_,
    "id": lambda machine, given: machine.symbol("id"),
    "hash": lambda machine, given: machine.symbol("hash"),
    "repr": lambda machine, given: _string(machine, given),
    "format": lambda machine, given, *more: _string(machine, given),
    "property": lambda machine, given, *more: machine.unknown("a property"),
    "globals": variables,
    "locals": lambda machine: machine.unknown("the variables"),
    "round": lambda machine, given, *more: _converted(machine, given, float, "round()"),
    "abs": lambda machine, given: given,
    "slice": lambda machine, *given: machine.new(
        "slice", dict(zip(("start", "stop", "step"), (*given, None, None), strict=False))
    ),
    "eval": evaluated,
    "__import__": lambda machine, name="", *given, **more: module_named(machine, name),
    "complex": lambda machine, *given: machine.symbol("complex"),
    "bytes": lambda machine, *given: machine.symbol("bytes"),
    "ord": lambda machine, *given: machine.symbol("ord"),
    "chr": lambda machine, *given: machine.symbol("chr"),
    "divmod": lambda machine, *given: (machine.symbol("quotient"), machine.symbol("remainder")),
    "open": lambda machine, *given, **more: machine.symbol("a file", gather(machine, given).taints & (DIFFERS | {OWN})),
}
