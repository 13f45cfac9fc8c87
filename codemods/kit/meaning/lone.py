"""What one process alone computes, and leaves pending: the graph that all of them execute next is another one there.

A collective meets only the same one of the same graph. So where that graph holds one, the processes wait for ever. It
is the same where each process draws for itself what is computed (run on two replicas of 2.9).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any

from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.values import DRAWN, NO_TAINTS, RANK, Choice, Obj, Scope, Site, Taints, Value

LEFT = "computed by one"
"""The field of the world with the tensors."""
CHANCE = "computed by chance"
"""The field of the world with what each process has drawn for itself of the gradients' graph."""
_MOST = 20_000
"""So many objects are looked at in the search for one that is still held."""


class Lone(frozenset[Any]):
    """Taints, one for each place; two paths together leave what either does."""

    def join(self, other: Lone) -> Lone:
        return Lone(self | other)


def compute(machine: Machine, made: Obj) -> None:
    """A tensor is made or changed here; what is made of it is as long pending as it is."""
    if machine.cuda or machine.facts.settle(made.fields.get("@device")) != "xla":
        return
    why = machine.taints_of_path() & {RANK, DRAWN}
    if not why or machine.facts.settle(machine.world.fields["several"]) is False:
        return
    if RANK not in why:
        differ(machine, made)
        return
    taint = (LEFT, machine.site)
    machine.heap.write(machine.world, LEFT, Lone(_held(machine, LEFT) | {taint}))
    for one in (made, made.fields.get("@view")):
        if isinstance(one, Obj):
            machine.heap.write(one, "@taints", _taints_of(one) | {taint})


def differ(machine: Machine, made: Obj) -> None:
    """Other processes make something else in its place, as each of them has drawn."""
    if machine.facts.settle(machine.world.fields["several"]) is not False:
        parting = machine.facts.parting
        sites = (parting[key][1] for key, _ in machine.facts.assumed if DRAWN in parting.get(key, (NO_TAINTS,))[0])
        machine.heap.write(made, "@taints", _taints_of(made) | {(CHANCE, next(sites, machine.site))})


def learn(machine: Machine, taints: Taints) -> None:
    """Gradients are made of what these taint."""
    found = Lone(one for one in taints if isinstance(one, tuple) and one[0] == CHANCE)
    if found and not machine.cuda:
        machine.heap.write(machine.world, CHANCE, Lone(_held(machine, CHANCE) | found))


def drawn(machine: Machine) -> list[Site]:
    """All that is pending runs: what of the gradients in it each process has drawn for itself."""
    held = _held(machine, CHANCE)
    if held:
        machine.heap.write(machine.world, CHANCE, Lone())
    return sorted((site for _, site in held), key=lambda site: (site.path, site.line))


def leave(machine: Machine, tensors: Iterable[Obj]) -> None:
    """What is read is pending no more, nor is it followed where it is handed to what nobody reads."""
    left = _held(machine, LEFT)
    gone = left & NO_TAINTS.union(*map(_taints_of, tensors)) if left else NO_TAINTS
    if gone:
        machine.heap.write(machine.world, LEFT, Lone(left - gone))


def execute(machine: Machine) -> list[Site]:
    """All that is pending runs: where one process alone computed what is part of it, as something still holds it."""
    left = _held(machine, LEFT)
    if not left:
        return []
    machine.heap.write(machine.world, LEFT, Lone())
    if RANK in machine.taints_of_path():
        return []
    held = {site for _, site in left.intersection(taint for one in _reached(machine) for taint in _taints_of(one))}
    return sorted(held, key=lambda site: (site.path, site.line))


def _taints_of(tensor: Obj) -> frozenset[Any]:
    found = tensor.fields.get("@taints", NO_TAINTS)
    return found if isinstance(found, frozenset) else NO_TAINTS


def _held(machine: Machine, field: str) -> Lone:
    found = machine.world.fields.get(field)
    return found if isinstance(found, Lone) else Lone()


def _reached(machine: Machine) -> Iterator[Obj]:
    """The objects that the calls in progress can get at."""
    waiting: deque[Value] = deque([machine.world.fields.get("closures")])
    for frame in machine.frames:
        scope: Scope | None = frame.scope
        while scope is not None:
            waiting += scope.fields.values()
            scope = scope.parent
    seen: set[int] = set()
    while waiting and len(seen) < _MOST:
        value = waiting.popleft()
        if isinstance(value, (tuple, Choice)):
            waiting += value
        elif isinstance(value, Obj) and id(value) not in seen and value.cls != "module":
            seen.add(id(value))
            yield value
            waiting += value.fields.values()
