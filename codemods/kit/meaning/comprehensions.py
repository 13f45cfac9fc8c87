"""Comprehensions and generator expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from codemods.kit.meaning.items import set_item
from codemods.kit.meaning.iteration import MAX_UNROLLED, elements_of, is_put
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.names import names_of
from codemods.kit.meaning.partings import rounds_of
from codemods.kit.meaning.targets import assign_to
from codemods.kit.meaning.values import (
    ELEMENTS,
    MANY,
    Obj,
    Scope,
    Value,
)


def comprehension(machine: Machine, node: Any) -> Value:
    """A list, set or dict made by a comprehension, or what a generator expression gives."""
    scope = Scope(machine.site, machine.heap.serial(), machine.frame.scope, names_of(node).local)
    made = machine.new({ast.SetComp: "set", ast.DictComp: "dict"}.get(type(node), "list"))
    first = machine.evaluate(node.generators[0].iter)
    outer = machine.frame.scope
    frame = machine.frame

    def inner(at: int, iterated: Value) -> None:
        def each(element: Value) -> None:
            kept, frame.scope = frame.scope, scope
            try:
                assign_to(machine, node.generators[at].target, element)
                _filtered(machine, node.generators[at].ifs, lambda: deeper(at + 1))
            finally:
                frame.scope = kept

        machine.iterate(iterated, each)
        if taints := rounds_of(machine, iterated).taints:
            machine.heap.write(made, MANY, taints)

    def deeper(at: int) -> None:
        if at < len(node.generators):
            inner(at, machine.evaluate(node.generators[at].iter))
        else:
            _collect(machine, node, made)

    try:
        inner(0, first)
    finally:
        frame.scope = outer
    return made


def _filtered(machine: Machine, tests: list[ast.expr], then: Callable[[], None]) -> None:
    for one in tests:
        if machine.truth(machine.evaluate(one)).value is False:
            return
    then()


def _collect(machine: Machine, node: Any, made: Obj) -> None:
    if isinstance(node, ast.DictComp):
        set_item(machine, made, machine.evaluate(node.key), machine.evaluate(node.value))
        return
    value = machine.evaluate(node.elt)
    is_put(machine, made)
    elements = elements_of(machine, made)
    if len(elements) < 4 * MAX_UNROLLED:
        machine.heap.write(made, ELEMENTS, (*elements, value))
