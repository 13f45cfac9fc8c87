"""Python's builtin functions that need the engine itself. The others are a model, `models/builtins.py`."""

from __future__ import annotations

import builtins
import contextlib
from typing import Any

from codemods.kit.meaning.attributes import get_attribute, set_attribute
from codemods.kit.meaning.containers import make_classes
from codemods.kit.meaning.graph import happen, read
from codemods.kit.meaning.loops import iterate, take
from codemods.kit.meaning.machine import Dead, Machine, Stopped
from codemods.kit.meaning.modules import plain_function
from codemods.kit.meaning.record import Event
from codemods.kit.meaning.tensors import gather, is_tensor, is_unknown
from codemods.kit.meaning.texts import tell, text_of
from codemods.kit.meaning.values import (
    ABSENT,
    CONSTANTS,
    ELEMENTS,
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
    container,
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
    return Sym(("length", given.serial if isinstance(given, Obj) else machine.site))


def _range(machine: Machine, *given: Value) -> Value:
    settled = [machine.facts.settle(one) for one in given]
    bounds = [read(machine, one, "range()") if is_tensor(one) else one for one in settled]
    if all(isinstance(one, int) for one in bounds):
        try:
            numbers = range(*bounds)
        except (TypeError, ValueError):
            numbers = range(0)
        if len(numbers) <= _UNROLLED:
            return machine.new("list", {ELEMENTS: tuple(numbers)})
    taints = gather(machine, bounds).taints | {VARYING}
    return machine.new("list", {REST: Sym(("number", machine.heap.serial()), taints)})


def _isinstance(machine: Machine, given: Value, kinds: Value) -> Value:
    given, kinds = machine.facts.settle(given), machine.facts.settle(kinds)
    if isinstance(given, Choice):
        return machine.each(given, lambda one: _isinstance(machine, one, kinds))
    every = kinds if isinstance(kinds, tuple) else (kinds,)
    answers = {_one_isinstance(machine, given, kind) for kind in every}
    if True in answers:
        return True
    return False if answers == {False} else Sym(("isinstance", id(given), repr(every)))


def _one_isinstance(machine: Machine, given: Value, kind: Value) -> bool | None:
    kind = machine.facts.settle(kind)
    if isinstance(kind, ClassValue):
        if isinstance(given, Obj) and isinstance(given.cls, ClassValue):
            return kind in given.cls.order or (None if not given.cls.known else False)
        return None if isinstance(given, Sym) or is_unknown(given) else False
    if isinstance(kind, Primitive):
        plain = {"int": int, "float": float, "str": str, "bool": bool, "tuple": tuple}.get(kind.name)
        if plain is not None:
            if isinstance(given, (*CONSTANTS, tuple)):
                return isinstance(given, plain)
            return False if container(given) or is_tensor(given) else None
    return None


def _getattr(machine: Machine, owner: Value, name: Value, default: Value = ABSENT) -> Value:
    name = machine.facts.settle(name)
    if isinstance(name, str):
        if default is not ABSENT and _has(machine, owner, name) is False:
            return default
        return get_attribute(machine, owner, name)
    if isinstance(name, Choice):
        return machine.each(name, lambda one: _getattr(machine, owner, one, default))
    return machine.unknown("an attribute whose name is not known")


def _has(machine: Machine, owner: Value, name: str) -> bool | None:
    owner = machine.facts.settle(owner)
    if isinstance(owner, Choice):
        answers = {_has(machine, one, name) for one in owner}
        return answers.pop() if len(answers) == 1 else None
    if isinstance(owner, Obj):
        if name in owner.fields:
            return True
        if isinstance(owner.cls, ClassValue):
            if owner.cls.find(name) is not ABSENT:
                return True
            return False if owner.cls.known and owner.cls.find("__getattr__") is ABSENT else None
        return None
    if isinstance(owner, ClassValue):
        return True if owner.find(name) is not ABSENT else (False if owner.known else None)
    return hasattr(owner, name) if isinstance(owner, (*CONSTANTS, tuple)) else None


def _hasattr(machine: Machine, owner: Value, name: Value) -> Value:
    name = machine.facts.settle(name)
    found = _has(machine, owner, name) if isinstance(name, str) else None
    return Sym(("hasattr", id(machine.facts.settle(owner)), name)) if found is None else found


def _setattr(machine: Machine, owner: Value, name: Value, value: Value) -> None:
    set_attribute(machine, owner, machine.facts.settle(name), value)


def _super(machine: Machine, cls: Value = None, receiver: Value = None) -> Value:
    frame = next((one for one in reversed(machine.frames) if one.function and one.function.owner), machine.frame)
    owner = cls if isinstance(cls, ClassValue) else frame.function.owner if frame.function else None
    if receiver is None and frame.function is not None:
        arguments = getattr(frame.function.node.args, "args", []) or frame.function.node.args.posonlyargs
        receiver = frame.scope.fields.get(arguments[0].arg) if arguments else None
    return machine.new("super", {"owner": owner, "receiver": receiver})


def _type(machine: Machine, given: Value, *more: Value) -> Value:
    given = machine.facts.settle(given)
    return given.cls if isinstance(given, Obj) and isinstance(given.cls, ClassValue) else machine.unknown("a type")


def _iter(machine: Machine, given: Value, *more: Value) -> Value:
    given = machine.facts.settle(given)
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
        iterate(machine, given, found.append)
    return found[0] if found else machine.unknown("an element of what is not known")


def _tuple(machine: Machine, given: Value = ()) -> Value:
    return tuple(machine.elements(given))


def _input(machine: Machine, *given: Value) -> Value:
    happen(machine, "alone", "input()")
    return machine.symbol("input")


def _exit(machine: Machine, *given: Value) -> Value:
    happen(machine, "exit")
    raise Stopped


def _vars(machine: Machine, given: Value = None) -> Value:
    return get_attribute(machine, given, "__dict__") if given is not None else machine.unknown("the variables")


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
    "isinstance": _isinstance,
    "issubclass": lambda machine, *given: machine.symbol("issubclass"),
    "callable": lambda machine, given: machine.symbol("callable"),
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "delattr": lambda machine, *given: None,
    "super": _super,
    "type": _type,
    "iter": _iter,
    "next": _next,
    "tuple": _tuple,
    "input": _input,
    "exit": _exit,
    "quit": _exit,
    "vars": _vars,
    "id": lambda machine, given: machine.symbol("id"),
    "hash": lambda machine, given: machine.symbol("hash"),
    "repr": lambda machine, given: _string(machine, given),
    "format": lambda machine, given, *more: _string(machine, given),
    "property": lambda machine, given, *more: machine.unknown("a property"),
    "globals": lambda machine: machine.unknown("the module's variables"),
    "locals": lambda machine: machine.unknown("the variables"),
    "round": lambda machine, given, *more: _converted(machine, given, float, "round()"),
    "abs": lambda machine, given: given,
    "slice": lambda machine, *given: machine.new(
        "slice", dict(zip(("start", "stop", "step"), (*given, None, None), strict=False))
    ),
    "eval": lambda machine, *given: machine.unknown("eval"),
    "__import__": lambda machine, *given: machine.unknown("__import__"),
    "complex": lambda machine, *given: machine.symbol("complex"),
    "bytes": lambda machine, *given: machine.symbol("bytes"),
    "ord": lambda machine, *given: machine.symbol("ord"),
    "chr": lambda machine, *given: machine.symbol("chr"),
    "divmod": lambda machine, *given: (machine.symbol("quotient"), machine.symbol("remainder")),
    "open": lambda machine, *given, **more: machine.unknown("a file"),
}
