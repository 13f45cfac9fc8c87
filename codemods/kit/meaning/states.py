"""What is in a checkpoint, as far as two programs can be compared by it: its keys, and whose states are there."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.parameters import PARAMETER, each_parameter, parameters
from codemods.kit.meaning.tensors import HOST, is_unknown
from codemods.kit.meaning.values import REST, Choice, Item, Obj, Value, class_name, container, is_a

STATE = "@state"
"""The field of a state_dict with whose it is."""
PICKLED = "@pickled"
"""The field of the world with whether a whole network was saved."""
_DEEP = 6
_WRAPPERS = {
    "torch.nn.DistributedDataParallel": "module",
    "torch.nn.DataParallel": "module",
    "torch.nn.OptimizedModule": "_orig_mod",
}
"""Classes around a network, and what each calls it: the keys of a state begin with that."""


class Saved(NamedTuple):
    """A part of a checkpoint."""

    what: str
    """A state or a whole network; "" for anything else."""
    owner: str = ""
    """The class of the module; empty where it may be one of several."""
    wrapped: bool = False
    trained: bool = False
    """A backward has reached its parameters."""


Contents = tuple[tuple[str, Saved], ...] | None
"""The parts of a checkpoint by key, sorted; a part that stands alone has the key "". None where it is not known."""


def state_kept(machine: Machine, owner: Obj) -> Saved:
    """Whose state a state_dict is."""
    if is_a(owner, "torch.optim.Optimizer"):
        return Saved("state of an optimizer")
    return _kept(machine, owner, "state of a network") if is_a(owner, "torch.nn.Module") else Saved("")


def _kept(machine: Machine, module: Obj, what: str) -> Saved:
    inner, _ = unwrapped(machine, module)
    every = each_parameter(machine, parameters(machine, inner))
    trained = any("@clipped" in one.fields for one in every)
    owner = class_name(inner) if isinstance(inner, Obj) else ""
    return Saved(what, owner, inner is not module, trained)


def unwrapped(machine: Machine, module: Value) -> tuple[Value, str]:
    """A network without what is around it, and what the keys of its state begin with for that: `module._orig_mod.`.
    Nothing is taken off what is compiled for XLA, and stays."""
    prefix = ""
    while isinstance(module, Obj) and (name := next((one for cls, one in _WRAPPERS.items() if is_a(module, cls)), "")):
        if module.fields.get("_backend") == "openxla":
            break
        module = machine.facts.settle(module.fields.get(name))
        prefix += f"{name}."
    return module, prefix


def contents(machine: Machine, value: Value) -> Contents:
    """What is written into a checkpoint."""
    value = machine.facts.settle(value)
    if isinstance(value, Choice) or is_unknown(value):
        return None
    if container(value) != "dict" or STATE in value.fields:
        return (("", _part(machine, value)),)
    if REST in value.fields or not all(isinstance(one.key, str) for one in value.fields if isinstance(one, Item)):
        return None
    parts = [(one.key, _part(machine, held)) for one, held in value.fields.items() if isinstance(one, Item)]
    return tuple(sorted(parts))


def parameters_within(machine: Machine, value: Value, depth: int = 0) -> list[Obj]:
    """Each `nn.Parameter` that is saved, by itself or in containers, and that may not be on the host; a state of a
    network has plain tensors, and so has what keeps `parameter.data`."""
    value = machine.facts.settle(value)
    if isinstance(value, Obj) and is_a(value, PARAMETER):
        places = options_of(machine.facts, value.fields.get("@device"))
        return [value] if value.serial not in machine.bared and any(one != HOST for one in places) else []
    inside: Iterable[Value] = value if isinstance(value, (tuple, Choice)) else ()
    if isinstance(value, Obj) and container(value):
        inside = list(value.fields.values())
    return [found for one in inside if depth < _DEEP for found in parameters_within(machine, one, depth + 1)]


def bare(machine: Machine, tensor: Obj) -> None:
    """`tensor.data` is read, which is no parameter: is it kept there?"""
    tree = machine.library.trees.get(machine.site.path)
    if tree is not None and machine.site.line in _keeping(tree):
        machine.bared.add(tensor.serial)


@lru_cache(maxsize=64)
def _keeping(tree: ast.Module) -> frozenset[int]:
    """The lines of statements that put `something.data` into a name or a container, or hand it out."""
    kept: list[ast.expr | None] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.Return, ast.DictComp)):
            kept.append(node.value)
        elif isinstance(node, (ast.List, ast.Tuple)):
            kept += node.elts
        elif isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            kept.append(node.elt)
        elif isinstance(node, ast.Dict):
            kept += node.values
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _KEEP:
            kept += node.args
    found = (one for one in kept if isinstance(one, ast.Attribute) and one.attr == "data")
    return frozenset(line for one in found for line in range(one.lineno - 3, one.lineno + 1))


_KEEP = ("append", "save", "insert", "setdefault")

def wrapped_in(machine: Machine, value: Value) -> frozenset[bool]:
    """Whether the states of networks in what is saved are those of wrapped ones: their names have a first part."""
    held = [one for option in options_of(machine.facts, value) for one in _parts(option)]
    states = [one.fields[STATE] for part in held for one in options_of(machine.facts, part) if _is_state(one)]
    return frozenset(one.wrapped for one in states if one.what == "state of a network")


def _parts(value: Value) -> list[Value]:
    inner = isinstance(value, Obj) and container(value) == "dict" and STATE not in value.fields
    return [one for name, one in value.fields.items() if isinstance(name, Item)] if inner else [value]


def _is_state(value: Value) -> bool:
    return isinstance(value, Obj) and isinstance(value.fields.get(STATE), Saved)


def _part(machine: Machine, value: Value) -> Saved:
    value = machine.facts.settle(value)
    if isinstance(value, Choice):
        options = {_part(machine, one) for one in value}
        return options.pop() if len(options) == 1 else Saved("")
    if is_a(value, "torch.nn.Module"):
        return _kept(machine, value, "whole network")
    held = value.fields.get(STATE) if isinstance(value, Obj) else None
    return held if isinstance(held, Saved) else Saved("")
