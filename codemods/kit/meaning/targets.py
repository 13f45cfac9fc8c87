"""Assignment to every kind of target."""

from __future__ import annotations

import ast

from codemods.kit.meaning.attributes import set_attribute
from codemods.kit.meaning.graph import taints_of
from codemods.kit.meaning.items import get_item, set_item
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.names import assign
from codemods.kit.meaning.paths import join_values
from codemods.kit.meaning.tensors import is_tensor, is_unknown
from codemods.kit.meaning.values import ELEMENTS, REST, Choice, Obj, Value, container


def assign_to(machine: Machine, target: ast.expr, value: Value) -> None:
    """`target = value`."""
    if isinstance(target, ast.Name):
        assign(machine, target.id, value)
    elif isinstance(target, ast.Attribute):
        set_attribute(machine, machine.evaluate(target.value), target.attr, value)
    elif isinstance(target, ast.Subscript):
        owner = machine.evaluate(target.value)
        set_item(machine, owner, machine.evaluate(target.slice), value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(machine, target.elts, value)
    elif isinstance(target, ast.Starred):
        assign_to(machine, target.value, value)


def _unpack(machine: Machine, targets: list[ast.expr], value: Value) -> None:
    value = machine.facts.settle(value)
    if isinstance(value, Choice):
        parts = [[part_at(machine, one, at, len(targets)) for one in value] for at in range(len(targets))]
        conditions = [facts for facts, _ in value.options]
        for target, part in zip(targets, parts, strict=True):
            assign_to(machine, target, join_values(conditions, part))
        return
    star = next((at for at, one in enumerate(targets) if isinstance(one, ast.Starred)), None)
    if star is not None:
        elements = value if isinstance(value, tuple) else tuple(machine.elements(value))
        after = len(targets) - star - 1
        middle = machine.new("list", {ELEMENTS: elements[star : len(elements) - after]})
        for at, target in enumerate(targets[:star]):
            assign_to(machine, target, part_at(machine, value, at, 0))
        assign_to(machine, targets[star], middle)
        for at, target in enumerate(targets[star + 1 :]):
            assign_to(machine, target, part_at(machine, value, at - after, 0))
        return
    for at, target in enumerate(targets):
        assign_to(machine, target, part_at(machine, value, at, len(targets)))


def part_at(machine: Machine, value: Value, at: int, count: int) -> Value:
    """The part of a value that unpacking gives to one of its targets."""
    if isinstance(value, tuple):
        return value[at] if -len(value) <= at < len(value) else machine.unknown("a part that is not there")
    if isinstance(value, Obj) and container(value) in ("list", "set"):
        elements = value.fields.get(ELEMENTS, ())
        if isinstance(elements, tuple) and -len(elements) <= at < len(elements):
            return elements[at]
        if REST in value.fields:
            return value.fields[REST]
    if isinstance(value, Obj) and not is_tensor(value) and not is_unknown(value):
        elements = tuple(machine.elements(value))
        if elements:
            return elements[at] if -len(elements) <= at < len(elements) else elements[-1]
    made = get_item(machine, value, at)
    if is_tensor(value) and is_tensor(made) and any(isinstance(one, tuple) for one in taints_of(value)):
        made.fields["@scalar"] = value.fields.get("@scalar")  # a batch of several tensors, taken for one
    return made
