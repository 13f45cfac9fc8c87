"""Primitives that make tensors of what they are given: operators of a library, moves to a device."""

from __future__ import annotations

from typing import Any

from codemods.kit.meaning import graph, parameters, precision
from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.record import HAS, Verdict
from codemods.kit.meaning.taken_apart import ENUMS, KEYS, STAYS, why_not
from codemods.kit.meaning.tensors import UNREAD, combine, gather, is_tensor, is_unknown, new_tensor
from codemods.kit.meaning.values import (
    ELEMENTS,
    NO_TAINTS,
    Choice,
    Item,
    Obj,
    Primitive,
    Sym,
    Value,
    container,
    is_a,
)
from codemods.kit.meaning.words import MOVED


def _tensor(
    machine: Machine, *sources: Value, device: Value = None, scalar: Value = None, taint: Value = None
) -> Value:
    taints = frozenset({taint}) if isinstance(taint, str) else NO_TAINTS
    traits = gather(machine, sources)
    where = parameters.device_kind(machine, device) if device is not None else "cpu"
    return new_tensor(machine, where, traits.deps, traits.taints | taints, scalar if isinstance(scalar, bool) else None)


def _operator(machine: Machine, name: Value, tensor: Value = True) -> Value:
    """A function of a library that makes a tensor of what it is given, and does nothing else."""

    shaped = str(name).endswith("_like") or name in ("torch.tril", "torch.triu")

    def run(machine: Machine, *arguments: Value, **keywords: Value) -> Value:
        device = keywords.pop("device", None)
        keywords.pop("**", None)
        given = (*arguments, *keywords.values())
        traits = gather(machine, given)
        if machine.watcher is not None:
            machine.watcher.compute(str(name), traits.tensors)
        one = machine.facts.settle(arguments[0]) if arguments else None
        if str(name) in _JOINS and isinstance(one, Obj) and is_tensor(one) and UNREAD not in one.fields:
            graph.say(machine, HAS, Verdict.VIOLATED, f"{name} takes a list of tensors, and this is one tensor")
        if not traits.tensors and device is None:
            where = None if str(name) in _JOINS else "cpu"  # of a list whose elements are not known
            return new_tensor(machine, where, traits.deps, traits.taints)
        if device is not None:
            return combine(machine, given, device=parameters.device_kind(machine, device), keeps=shaped)
        named = [one for value in keywords.values() for one in options_of(machine.facts, value)]
        numbers = any(map(is_unknown, named))
        typed = precision.after_operation(machine, str(name), traits.tensors)
        return combine(machine, given, strict=str(name) in _JOINS, keeps=shaped, numbers=numbers, low=typed)

    return Primitive(str(name), run)


_JOINS = frozenset(f"torch.{name}" for name in ("cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack"))


def _combine(machine: Machine, *values: Value) -> Value:
    return combine(machine, values)


def _moved(machine: Machine, value: Value, device: Value) -> Value:
    """A value with all tensors in it on a device."""
    value = machine.facts.settle(value)
    kind = parameters.device_kind(machine, device)
    parameters.find_missing(machine, kind)
    if isinstance(value, Choice):
        return machine.each(value, lambda one: _moved(machine, one, device))
    if isinstance(value, tuple):
        return tuple(_moved(machine, one, device) for one in value)
    if not isinstance(value, Obj):
        return value
    if is_tensor(value) or is_unknown(value):
        if kind is None or machine.facts.settle(value.fields.get("@device")) == kind:
            return value
        if is_a(value, "torch.nn.Parameter"):
            return combine(machine, (value,), device=kind)
        return Obj(value.cls, machine.site, machine.heap.serial(), {**_traits_only(value), "@device": kind})
    if container(value):
        fields = {
            n: _moved(machine, one, device) if n == "[*]" or isinstance(n, Item) else one
            for n, one in value.fields.items()
        }
        if ELEMENTS in fields:
            fields[ELEMENTS] = _moved(machine, fields[ELEMENTS], device)
        return machine.new(value.cls, fields)
    return value


def _handed(machine: Machine, batch: Value, device: Value) -> Value:
    """A batch as a device loader hands it out."""
    why = why_not(machine, batch)
    if why in (KEYS, ENUMS, MOVED):
        graph.say(machine, HAS, Verdict.VIOLATED, f"a device loader fails: {why}")
    return batch if why == STAYS else _moved(machine, batch, device)


def _traits_only(value: Obj) -> dict[Any, Value]:
    kept = ("@deps", "@taints", "@scalar", "@why", "@device", "@low", UNREAD)
    return {name: one for name, one in value.fields.items() if name in kept}


def _device_kind(machine: Machine, *given: Value) -> Value:
    """The first of the values that names a device, as its kind."""
    for one in given:
        kind = parameters.device_kind(machine, one)
        if kind is not None:
            return kind
    return None


def _tainted(machine: Machine, value: Value, *taints: Value) -> Value:
    value = machine.facts.settle(value)
    more = frozenset(taints)
    if isinstance(value, Sym):
        return Sym(value.key, value.taints | more)
    if isinstance(value, tuple):
        return tuple(_tainted(machine, one, *taints) for one in value)
    if isinstance(value, Obj) and (is_tensor(value) or is_unknown(value)):
        return Obj(
            value.cls, value.site, machine.heap.serial(), {**value.fields, "@taints": graph.taints_of(value) | more}
        )
    if isinstance(value, Obj) and container(value):
        fields = {
            n: _tainted(machine, one, *taints) if n in (ELEMENTS, "[*]") or isinstance(n, Item) else one
            for n, one in value.fields.items()
        }
        return machine.new(value.cls, fields)
    return value


PRIMITIVES: dict[str, Any] = {
    "tensor": _tensor,
    "operator": _operator,
    "combine": _combine,
    "moved": _moved,
    "handed": _handed,
    "device_kind": _device_kind,
    "tainted": _tainted,
}
