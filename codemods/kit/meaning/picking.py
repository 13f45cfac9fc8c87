"""What is picked out of something by a number that differs between the processes: another value in each of them."""

from __future__ import annotations

from collections.abc import Iterable

from codemods.kit.meaning.choices import MAX_OPTIONS, picked
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.parameters import each_parameter, parameters
from codemods.kit.meaning.tensors import gather, is_tensor, is_unknown
from codemods.kit.meaning.values import (
    APART,
    DIFFERS,
    DRAWN,
    LOCAL,
    NO_TAINTS,
    OWN,
    RANK,
    UNBOUND,
    Choice,
    ClassValue,
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
    every = list(values)
    if len(every) > _SIBLINGS and _are_siblings(every):
        machine.happen("left out", len(every))
        every = every[:_SIBLINGS]
    if len(every) > MAX_OPTIONS and any(isinstance(one, ClassValue) for one in every):
        every.sort(key=lambda one: not isinstance(one, ClassValue))  # a function makes one of these as a rule
        if isinstance(every[MAX_OPTIONS], ClassValue) or 2 * len(every) > 3 * MAX_OPTIONS:
            machine.happen("left out", len(every))
    found = picked(key, every)
    if not taints or not isinstance(found, Choice):
        return tinged(machine, found, taints)
    for conditions, _ in found.options:
        for fact, _ in conditions:
            if isinstance(fact, tuple) and fact[:2] == ("pick", key):  # not what was decided before, alike everywhere
                machine.facts.part(fact, taints, machine.site)
    return found


_SIBLINGS = 2
"""How many are followed of the classes of one family of which one is picked, where they are no networks: data sets."""


def _are_siblings(every: list[Value]) -> bool:
    """Whether classes have a base in common, and none is a module."""
    names = [one.qualified - {"builtins.object"} for one in every if isinstance(one, ClassValue)]
    plain = len(names) == len(every) and not any("torch.nn.Module" in one for one in names)
    return plain and bool(frozenset.intersection(*names))


def may_be_another(machine: Machine, module: Obj, taints: Taints) -> None:
    """A module that stands for many is picked by what differs: what it makes is made of other weights elsewhere."""
    why = next((one for one in (DRAWN, RANK, LOCAL) if one in taints), None)
    if why is not None:
        machine.heap.write(module, PICKED, (APART, why, machine.site))


def made_elsewhere(machine: Machine, module: Obj, made: Value) -> Value:
    """What a module makes, with the mark that other processes make it with other weights if they pick another one."""
    why = machine.facts.settle(module.fields.get(PICKED))
    why = next((one for one in why if one is not UNBOUND), None) if isinstance(why, Choice) else why
    if why is None:
        return made
    if isinstance(made, tuple):
        return tuple(made_elsewhere(machine, module, one) for one in made)
    if isinstance(made, Choice):
        return Choice(tuple((facts, made_elsewhere(machine, module, one)) for facts, one in made.options))
    if not isinstance(made, Obj) or not (is_tensor(made) or is_unknown(made)):
        return made
    own = frozenset(one for one in each_parameter(machine, parameters(machine, module)) if isinstance(one, Obj))
    taints = made.fields.get("@taints", NO_TAINTS) | {why}
    fields = {**made.fields, "@taints": taints, "@apart": made.fields.get("@apart", frozenset()) | own}
    return Obj(made.cls, made.site, machine.heap.serial(), fields)


PICKED = "@picked"
"""The field of a module that is picked out of many by what differs between the processes: why, and where."""


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
