"""Managers of `with` that are generators: their body runs up to its yield, the block there, and then the rest."""

from __future__ import annotations

import ast
from collections.abc import Callable

from codemods.kit.meaning.choices import Fact, in_order
from codemods.kit.meaning.iteration import run_generator
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.values import Obj, Running, Value, is_a


def generator_of(machine: Machine, manager: Value) -> Running | None:
    """The generator behind a manager; None where there is none, or where it may leave the block out."""
    manager = machine.facts.settle(manager)
    made = machine.facts.settle(manager.fields.get("generator")) if isinstance(manager, Obj) else None
    if not is_a(manager, "contextlib._Manager") or not isinstance(made, Running):
        return None
    handlers = (one for one in ast.walk(made.function.node) if isinstance(one, ast.ExceptHandler))
    return None if any(handlers) else made


def run_around(machine: Machine, generator: Running, block: Callable[[Value], None]) -> None:
    """Run a generator, and at its yield the block. What the block found out holds below it."""
    start, found = machine.facts.mark(), list[Fact]()

    def each(value: Value) -> None:
        block(value)
        found[:] = in_order(machine.facts.since(start))

    run_generator(machine, generator, each)
    for key, held in found:
        machine.facts.assume(key, held)
