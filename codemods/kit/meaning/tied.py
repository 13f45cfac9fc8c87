"""Parameters that modules of a model share when it moves to the accelerator.

CUDA moves them in place. torch_xla makes new ones, one for each place that holds them: what was tied parts. What is
tied, and by which names it is reached from the model, the original's execution shows, whatever tied it: an assignment,
a helper, a loop. Models of transformers tie by themselves, and have `tie_weights()` for doing it again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.classes import OUTPUT
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.values import (
    ABSENT,
    ELEMENTS,
    MANY,
    REST,
    SHARED,
    Choice,
    ClassValue,
    Item,
    Obj,
    Value,
    container,
    is_a,
)

TIED = "@tied"
"""The field of a model of transformers with the output embeddings that its `tie_weights()` ties again."""


_OWN = frozenset({"_children", "_modules", "_parameters", "_buffers", "_flat_weights"})
"""Fields in which modules hold their own, and see to them when they move."""


class Tied(NamedTuple):
    """What a move parts."""

    pairs: tuple[tuple[str, str], ...] = ()
    """The other name of a parameter, and its first, from the model on: `.decoder.weight`, `.encoder.weight`."""
    pretrained: tuple[str, ...] = ()
    """Models of transformers that tie by themselves: "" is the model itself."""
    nameless: bool = False
    """Whether there is more of either that no name is known for."""
    kept: bool = False
    """Whether a plain list or dict of a module holds parameters too, which a move leaves as they were."""


def tied(machine: Machine, model: Value) -> Tied:
    """What the move of a model parts."""
    names: dict[int, list[str | None]] = {}
    modules: dict[int, str | None] = {}
    pretrained: list[str | None] = []
    nameless = kept = False
    outputs: list[tuple[Value, ...]] = []
    for held, name in _parts(machine, model, "", set()):
        if is_a(held, "torch.nn.Parameter"):
            nameless = nameless or (SHARED in held.fields and held.serial not in names and name is None)
            names.setdefault(held.serial, []).append(name)
            continue
        modules[held.serial] = name
        kept = kept or _keeps(machine, held)
        if _has_head(held):
            pretrained.append(name)
            outputs += (one for one in options_of(machine.facts, held.fields.get(TIED)) if isinstance(one, tuple))
    again = {f"{modules.get(one.serial)}.weight" for every in outputs for one in every if isinstance(one, Obj)}
    shared = [[one for one in every if one not in again] for every in names.values() if len(every) > 1]
    pairs = ((other, every[0]) for every in shared for other in every[1:])
    known = tuple((other, first) for other, first in pairs if other is not None and first is not None)
    nameless = nameless or any(None in every for every in shared) or None in pretrained
    return Tied(known, tuple(name for name in pretrained if name is not None), nameless, kept)


def _keeps(machine: Machine, module: Obj) -> bool:
    """Whether a list or dict that is no part of a module holds parameters."""
    for field, held in list(module.fields.items()):
        found = machine.facts.settle(held) if isinstance(field, str) and field[0] != "@" and field not in _OWN else None
        if isinstance(found, Obj) and container(found) and not is_a(found, "torch.nn.Module"):
            if any(is_a(machine.facts.settle(one), "torch.nn.Parameter") for _, one in _elements(machine, found)):
                return True
    return False


def _has_head(model: Obj) -> bool:
    """Whether a model of transformers has output embeddings: it tied them, or by the name of its class, or, where its
    base is not read, by its class giving them."""
    if not isinstance(model.cls, ClassValue):
        return OUTPUT in model.fields
    if TIED in model.fields or is_a(model, "transformers.modeling_utils.LMHeadModel"):
        return True
    return not model.cls.known and model.cls.find(OUTPUT) is not ABSENT


def _parts(machine: Machine, module: Value, name: str | None, seen: set[int]) -> Iterator[tuple[Obj, str | None]]:
    """The parameters in a module and the modules in it, each module once, with their names; None for one in a list
    whose elements are not told apart, or that is there on some ways only."""
    if not isinstance(module, Obj) or module.serial in seen:
        return
    seen.add(module.serial)
    yield module, name
    for field, held in list(module.fields.items()):
        if isinstance(field, str) and field[0] != "@" and isinstance(held, (Obj, Choice)):
            below = None if name is None else f"{name}.{field}"
            yield from _of_field(machine, field, held, name if field == "_children" else below, seen)


def _of_field(
    machine: Machine, field: str, held: Value, name: str | None, seen: set[int]
) -> Iterator[tuple[Obj, str | None]]:
    held = machine.facts.settle(held)
    for one in held if isinstance(held, Choice) else (held,):
        one_name = None if isinstance(held, Choice) else name
        if is_a(one, "torch.nn.Parameter"):
            yield one, one_name
        elif is_a(one, "torch.nn.Module"):
            yield from _parts(machine, one, one_name, seen)
        elif isinstance(one, Obj) and _has_head(one):
            yield one, one_name
        elif field == "_children" and container(one):
            for key, inner in _elements(machine, one):
                inner_name = None if one_name is None or key is None else f"{one_name}[{key!r}]"
                yield from _of_field(machine, "", inner, inner_name, seen)


def _elements(machine: Machine, holder: Obj) -> Iterator[tuple[Any, Value]]:
    several = MANY in holder.fields or REST in holder.fields  # one of them may stand for all
    for field, held in list(holder.fields.items()):
        if field == ELEMENTS:
            every = machine.facts.settle(held)
            for at, one in enumerate(every if isinstance(every, tuple) else ()):
                yield None if several else at, one
        elif field == REST:
            yield None, held
        elif isinstance(field, Item):
            yield field.key if isinstance(field.key, (str, int)) and not several else None, held
