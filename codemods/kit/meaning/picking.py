"""What is picked out of something by a number that differs between the processes: another value in each of them."""

from __future__ import annotations

from collections.abc import Iterable

from codemods.kit.meaning.choices import picked
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.tensors import gather, is_tensor, is_unknown
from codemods.kit.meaning.values import (
    DIFFERS,
    DRAWN,
    NO_TAINTS,
    OWN,
    Choice,
    Key,
    Obj,
    Sym,
    Taints,
    Value,
    container,
    is_a,
)


def picks_apart(machine: Machine, key: Value) -> Taints:
    """Why an index or the bounds of a slice may be other ones in each process."""
    parts = key if isinstance(key, tuple) else (key,)
    bounds = [one for part in parts for one in (_bounds(part) if isinstance(part, Obj) else (part,))]
    return gather(machine, bounds).taints & (DIFFERS | {OWN})


def _bounds(part: Obj) -> list[Value]:
    return [part.fields[name] for name in ("start", "stop", "step")] if part.cls == "slice" else [part]


def shuffled(machine: Machine, value: Sym) -> Taints:
    """Why the elements of an array come in another order in each process."""
    return frozenset({DRAWN}) if value.key in machine.world.fields["shuffled"] else NO_TAINTS


def one_of(machine: Machine, key: Key, values: Iterable[Value], taints: Taints) -> Value:
    """One of several values; `key` says what decides, and the taints are those of what decides."""
    found = picked(key, list(values))
    if not taints or not isinstance(found, Choice):
        return tinged(machine, found, taints)
    for conditions, _ in found.options:
        for fact, _ in conditions:
            machine.facts.part(fact, taints, machine.site)
    return found


def tinged(machine: Machine, value: Value, taints: Taints) -> Value:
    """A value that stands for many, as one of these is in a process that picks it."""
    if not taints:
        return value
    if isinstance(value, Sym):
        return Sym(("picked", value.key, machine.heap.serial()), value.taints | taints, value.kind)
    if isinstance(value, tuple):
        return tuple(tinged(machine, one, taints) for one in value)
    if isinstance(value, Obj) and not is_a(value, "torch.nn.Parameter") and (is_tensor(value) or is_unknown(value)):
        held = gather(machine, (value,)).taints
        return Obj(value.cls, value.site, machine.heap.serial(), {**value.fields, "@taints": held | taints})
    if container(value):
        like = machine.new(value.cls, dict(value.fields))
        return one_of(machine, ("one like it", like.serial), (value, like), taints)
    return value
