"""Primitives of Python's own library that models stand on."""

from __future__ import annotations

from typing import Any

from codemods.kit.meaning import steps
from codemods.kit.meaning.graph import say
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.modules import plain_function
from codemods.kit.meaning.parameters import parameters
from codemods.kit.meaning.record import MEETING, Verdict
from codemods.kit.meaning.values import (
    CONSTANTS,
    Bound,
    Choice,
    ClassValue,
    Function,
    Item,
    Obj,
    Partial,
    Primitive,
    Sym,
    Value,
)


def make_partial(machine: Machine, function: Value, *given: Value, **more: Value) -> Value:
    """functools.partial."""
    return Partial(function, given, tuple(more.items()))


def make_dataclass(machine: Machine, cls: Value) -> Value:
    """A class whose objects get their fields from the call."""
    if isinstance(cls, ClassValue):
        cls.space.fields["__dataclass__"] = True
    return cls


def make_field(machine: Machine, default: Value = None, factory: Value = None) -> Value:
    """dataclasses.field."""
    return machine.new("field", {"default": default, "factory": factory})


def copied(machine: Machine, value: Value, deep: bool = True, seen: dict[int, Obj] | None = None) -> Value:
    """A copy of a value, and of all that is in it."""
    if seen is None and deep:
        machine.happen("copied")
    seen = {} if seen is None else seen
    value = machine.facts.settle(value)
    if isinstance(value, tuple):
        return tuple(copied(machine, one, deep, seen) if deep else one for one in value)
    if isinstance(value, Choice):
        return Choice(tuple((facts, copied(machine, one, deep, seen)) for facts, one in value.options))
    if not isinstance(value, Obj) or value.cls in ("module", "scope"):
        return value
    if value.serial in seen:
        return seen[value.serial]
    made = seen[value.serial] = machine.new(value.cls)
    made.site = value.site
    for name, one in value.fields.items():
        if name != "@of" or not deep:  # a copy of a state is nobody's
            made.fields[name] = copied(machine, one, deep, seen) if deep else one
    return made


def on_device(machine: Machine, module: Value) -> None:
    """A broadcast takes tensors of the device."""
    steps.made_equal(machine, parameters(machine, module))
    if steps.on_accelerator(machine, module) is False:
        say(
            machine,
            MEETING,
            Verdict.VIOLATED,
            "a module that is still on the host is broadcast",
            module.site if isinstance(module, Obj) else None,
        )


def _callable(machine: Machine, value: Value) -> bool:
    value = machine.facts.settle(value)
    return isinstance(value, (Function, Bound, Partial, ClassValue, Primitive))


def _make_members(machine: Machine, cls: ClassValue) -> None:
    """What the class of an enumeration names are objects of it, each with its name and value."""
    members: dict[Any, Value] = {}
    for name, value in list(cls.space.fields.items()):
        if isinstance(name, str) and not name.startswith("_") and isinstance(value, (*CONSTANTS, tuple, Sym)):
            members[Item(name)] = machine.new(cls, {"name": name, "value": value})
            machine.heap.write(cls.space, name, members[Item(name)])
    machine.heap.write(cls.space, "__members__", machine.new("dict", members))


def _own(machine: Machine, cls: Value, name: Value) -> Value:
    """What a class itself defines, not its bases; None where it does not."""
    return cls.space.fields.get(name) if isinstance(cls, ClassValue) else None


def _set(machine: Machine, target: Value, name: Value, value: Value) -> None:
    """object.__setattr__."""
    if isinstance(target, Obj):
        machine.heap.write(target, name, value)


PRIMITIVES: dict[str, Any] = {
    "object_set": _set,
    "own_attribute": _own,
    "make_partial": make_partial,
    "make_dataclass": make_dataclass,
    "make_field": make_field,
    "copied": copied,
    "on_device": lambda machine, module: machine.each(module, lambda one: on_device(machine, one)),
    "callable_function": _callable,
    "make_members": _make_members,
    "plain": lambda machine, name: plain_function(str(name)),
    "target_is_cuda": lambda machine: machine.cuda,
    "target_is_legacy": lambda machine: machine.legacy,
}
