"""Sizes and places: numbers that are part of a graph, of which each new one is compiled (measured on 2.1 and 2.9)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from codemods.kit.meaning import lone
from codemods.kit.meaning.graph import happen, read
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.tensors import ACCELERATORS, is_tensor
from codemods.kit.meaning.values import DRAWN, ELEMENTS, RANDOM, VARYING, Choice, Obj, Sym, Value, container


def sized(machine: Machine, what: str, numbers: Iterable[Value], made: Value) -> Value:
    """`made` has these numbers for a size: those of the device are read, and others differ from step to step."""
    if machine.cuda:
        return made
    there = isinstance(made, Obj) and machine.facts.settle(made.fields.get("@device")) in ACCELERATORS
    for one in _each(machine, numbers):
        if is_tensor(one) and machine.facts.settle(one.fields.get("@device")) in ACCELERATORS:
            read(machine, one, f"the size of {what}")
            if there:
                happen(machine, "size read", what)
        elif there and isinstance(one, Sym) and VARYING in one.taints:
            happen(machine, "drawn number" if RANDOM in one.taints else "moving number", what)
            if DRAWN in one.taints:
                lone.differ(machine, made)
    return made


def bounds(key: Value) -> list[Value]:
    """The numbers that the slices of an index are made of."""
    parts = key if isinstance(key, tuple) else (key,)
    slices = [part for part in parts if isinstance(part, Obj) and part.cls == "slice"]
    return [part.fields[name] for part in slices for name in ("start", "stop")]


def _each(machine: Machine, numbers: Iterable[Value], depth: int = 0) -> Iterator[Value]:
    """Numbers, those in lists and tuples included."""
    for one in map(machine.facts.settle, numbers):
        inner = machine.facts.settle(one.fields.get(ELEMENTS)) if container(one) == "list" else one
        if isinstance(inner, tuple | Choice) and depth < 2:
            yield from _each(machine, inner, depth + 1)
        else:
            yield one
