"""Primitives of the host's random numbers: other ones in each process, unless all begin with one seed."""

from __future__ import annotations

from typing import Any

from codemods.kit.meaning import graph, steps
from codemods.kit.meaning.choices import MAX_OPTIONS, options_of
from codemods.kit.meaning.items import get_item
from codemods.kit.meaning.iteration import elements_of
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.picking import one_of, picks_apart, tinged
from codemods.kit.meaning.tensors import gather
from codemods.kit.meaning.values import (
    ABSENT,
    DRAWN,
    ELEMENTS,
    MANY,
    NO_TAINTS,
    RANDOM,
    REST,
    VARYING,
    Obj,
    Sym,
    Taints,
    Value,
    container,
)


def _drawn(machine: Machine, library: str) -> Taints:
    """What taints a number that is drawn now."""
    alone = True in options_of(machine.facts, steps.begins_alone(machine, library))
    known = machine.assumed and any(one.about == library for one in machine.record.of("seed"))
    return frozenset({DRAWN}) if alone and not known else NO_TAINTS


def _number(machine: Machine, library: Value, *given: Value, values: Value = False) -> Value:
    """A random number, or an array of them; `values`: of which no index is made."""
    taints = gather(machine, given).taints | _drawn(machine, str(library))
    taints = frozenset(one for one in taints if not isinstance(one, tuple))
    taints |= {VARYING, RANDOM}
    taints |= graph.fresh(machine) if values is True and DRAWN in taints else NO_TAINTS
    return Sym(("a random number", machine.heap.serial()), taints)


def _chosen(machine: Machine, library: Value, population: Value) -> Value:
    """One of the elements of something."""
    population = machine.facts.settle(population)
    number = _number(machine, library, *([population] if isinstance(population, int) else []))
    return get_item(machine, population, number) if isinstance(population, (Obj, tuple, Sym)) else number


def _shuffled(machine: Machine, library: Value, elements: Value) -> None:
    """The elements of a list or an array come in another order."""
    taints = _drawn(machine, str(library))
    elements = machine.facts.settle(elements)
    if not taints or not isinstance(elements, (Obj, Sym)):
        return
    if isinstance(elements, Sym):
        _mark(machine, elements)
    elif container(elements) == "list":
        held, rest = elements_of(machine, elements), elements.fields.get(REST, ABSENT)
        every = (*held, *([] if rest is ABSENT else [rest]))
        picks = [one_of(machine, ("drawn", machine.heap.serial()), every, taints) for _ in held[:MAX_OPTIONS]]
        machine.heap.write(elements, ELEMENTS, tuple(picks) if len(held) <= MAX_OPTIONS else ())
        if rest is not ABSENT or len(held) > MAX_OPTIONS:
            machine.heap.write(elements, REST, one_of(machine, ("drawn", machine.heap.serial()), every, taints))
            machine.heap.write(elements, MANY, True)
    elif "@taints" in elements.fields:
        machine.heap.write(elements, "@taints", gather(machine, (elements,)).taints | taints)


def _mark(machine: Machine, array: Sym) -> None:
    """Its elements differ between the processes; how many they are does not."""
    machine.heap.write(machine.world, "shuffled", graph.May(machine.world.fields["shuffled"] | {array.key}))


def _sampled(machine: Machine, library: Value, population: Value) -> Value:
    """Some of the elements of something, in any order: a list of them."""
    return machine.new("list", {REST: _chosen(machine, library, population)})


def _permuted(machine: Machine, library: Value, *given: Value) -> Value:
    """An array of random numbers of which indexes are made."""
    made = Sym(("random numbers", machine.heap.serial()))
    if _drawn(machine, str(library)):
        _mark(machine, made)
    return made


def _generator(machine: Machine, library: Value, seed: Value = None, *more: Value) -> Value:
    """A generator of its own: with a seed it draws the same in all processes, unless that is the rank's."""
    taints = gather(machine, (seed,)).taints
    alone = machine.facts.settle(seed) is None and graph.several(machine)
    return Sym(("a generator", machine.heap.serial()), taints | (frozenset({DRAWN}) if alone else NO_TAINTS))


PRIMITIVES: dict[str, Any] = {
    "number_drawn": _number,
    "chosen": _chosen,
    "shuffled": _shuffled,
    "sampled": _sampled,
    "permuted": _permuted,
    "random_generator": _generator,
    "picked_by": lambda machine, value, *keys: tinged(machine, value, picks_apart(machine, keys)),
}
