"""Parameters whose gradients are made by hand of those that a backward left on others: float32 masters.

Wrappers average the gradients of the network while backward runs. On XLA nobody does, and an optimizer that holds the
masters knows nothing of the network's gradients: who looks at those before the masters get theirs looks too early.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from codemods.kit.meaning import steps
from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.graph import May, several
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.parameters import each_parameter, flatten
from codemods.kit.meaning.tensors import gather
from codemods.kit.meaning.values import LOCAL, NO_TAINTS, Choice, Obj, Taints, Value, by_age, container

GRADIENT, AVERAGED_GRADIENT = "gradient of", "averaged gradient of"
"""Heads of taints: what was made of a parameter's gradient, and then averaged over the processes."""
_LOOKED = "gradients looked at"
"""The field of the world with the expressions that looked at averaged gradients since the backward that left them."""


def taints_of_gradient(machine: Machine, parameter: Obj) -> Taints:
    """What marks the gradient of a parameter, and all that is made of it."""
    held = options_of(machine.facts, parameter.fields.get("@grad", steps.NONE))
    local = frozenset({LOCAL}) if several(machine) and steps.LOCALLY in held else NO_TAINTS
    return frozenset({"gradient", (GRADIENT, parameter)}) | local


def put(machine: Machine, parameter: Obj, value: Value) -> None:
    """A parameter gets a gradient that is made of those of others, and is averaged if they are."""
    taints = [one for one in gather(machine, (value,)).taints if type(one) is tuple and one[0] in _HEADS]
    sources = frozenset(one[1] for one in taints)
    if not sources or sources == {parameter}:
        return
    each = (one.fields.get("@grad", steps.NONE) for one in by_age(sources) if (AVERAGED_GRADIENT, one) not in taints)
    held = {state for one in each for state in options_of(machine.facts, one)}
    known = (one for one in (steps.LOCALLY, steps.SUM, steps.MEAN) if one in held)
    machine.heap.write(parameter, "@grad", next(known, steps.NONE if held else steps.MEAN))
    before = parameter.fields.get("@made of")  # who goes through two lists at once has them paired in any way
    if machine.watcher is not None:
        machine.watcher.masters.copy()
    machine.heap.write(parameter, "@made of", sources | (before if isinstance(before, frozenset) else frozenset()))


def averaged(taints: Taints) -> Taints:
    """The taints of what was made of gradients, once all processes have averaged it."""
    found = {(AVERAGED_GRADIENT, one[1]) if type(one) is tuple and one[0] == GRADIENT else one for one in taints}
    return frozenset(found) - {LOCAL} if found != taints else taints


_HEADS = (GRADIENT, AVERAGED_GRADIENT)


class Masters:
    """Which expressions look at averaged gradients that an optimizer's parameters get only later."""

    def __init__(self, calls: Sequence[ast.AST]) -> None:
        self._calls = calls
        """The calls in progress, outermost first."""
        self._looking: set[ast.AST] = set()
        self._others: dict[ast.AST, bool] = {}
        self._copying: set[ast.AST] = set()
        """Calls that give an optimizer's parameters their gradients, or step them."""
        self._given: dict[ast.AST, set[int]] = {}
        """By call, the parameters in the list that is given first."""

    @property
    def others(self) -> Mapping[ast.AST, bool]:
        """Expressions that look at gradients of which those are made that an optimizer steps with; and whether at all
        that it needs, which a call is given in a list."""
        return {node: every for node, every in self._others.items() if node not in self._copying}

    def see(self, machine: Machine, node: ast.AST, value: Value) -> None:
        """`p.grad` was read."""
        for facts, one in value.options if isinstance(value, Choice) else ((frozenset(), value),):
            if isinstance(one, Obj) and isinstance(one.fields.get("@gradient"), Obj):
                self._look(machine, (node, *self._calls), one.fields["@gradient"], facts)

    def leave(self, machine: Machine, node: ast.Call, evaluate: Callable[[Machine, ast.expr], Value]) -> None:
        """A call ends: if gradients were looked at in it, it may have been given the list of their parameters."""
        first = node.args[0] if node in self._looking and node.args else None
        if isinstance(first, (ast.Name, ast.Attribute)):
            given = machine.facts.settle(evaluate(machine, first))
            held = flatten(machine, given)[0] if container(given) or isinstance(given, tuple) else []
            self._given[node] = {one.serial for one in each_parameter(machine, held)}

    def copy(self) -> None:
        """A parameter gets the gradients of others."""
        self._copying.update(self._calls)

    def clip(self, machine: Machine, node: ast.AST, every: Iterable[Obj]) -> None:
        """The gradients of parameters are clipped."""
        for one in every:
            self._look(machine, (node,), one)

    def _look(
        self, machine: Machine, nodes: Sequence[ast.AST], parameter: Obj, facts: frozenset[Any] = frozenset()
    ) -> None:
        if _is_averaged(machine, parameter):
            known = facts | frozenset(machine.facts.assumed)
            found = {(node, parameter.serial, known) for node in nodes}
            machine.heap.write(machine.world, _LOOKED, May(_looked(machine) | found))
            self._looking.update(nodes)

    def backward(self, machine: Machine, reached: Iterable[Obj]) -> None:
        """Parameters have new gradients: whoever looked at those of before does not matter."""
        serials = {one.serial for one in reached}
        left = May(one for one in _looked(machine) if one[1] not in serials)
        if left != _looked(machine):
            machine.heap.write(machine.world, _LOOKED, left)

    def step(self, machine: Machine, stepped: Iterable[Obj]) -> None:
        """An optimizer steps these parameters."""
        needed: set[int] = set()
        early: set[ast.AST] = set()
        for one in stepped:
            made_of = options_of(machine.facts, one.fields.get("@made of", frozenset()))
            sources = {each.serial for some in made_of if isinstance(some, frozenset) for each in some}
            needed |= sources or ({one.serial} if _is_averaged(machine, one) else set())
            early |= {
                node for node, serial, facts in _looked(machine) if serial in sources and machine.facts.allow(facts)
            }
        for node in early:
            looked = {serial for other, serial, _ in _looked(machine) if other is node}
            looked &= self._given.get(node, looked)
            self._others[node] = looked >= needed and self._others.get(node, True)
        self._copying.update(self._calls)


def _is_averaged(machine: Machine, parameter: Obj) -> bool:
    """Whether the gradient of a parameter is averaged; in what nobody calls it is as a backward would leave it."""
    held = options_of(machine.facts, parameter.fields.get("@grad"))
    left = machine.assumed and set(held) <= {steps.NONE}
    return steps.MEAN in held or (left and True in options_of(machine.facts, parameter.fields.get("@averages", False)))


def _looked(machine: Machine) -> May:
    found = machine.world.fields.get(_LOOKED, May())
    return found if isinstance(found, May) else May()
