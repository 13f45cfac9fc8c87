"""What is in a checkpoint, as far as two programs can be compared by it: its keys, and whose states are there."""

from __future__ import annotations

from typing import NamedTuple

from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.parameters import each_parameter, parameters
from codemods.kit.meaning.tensors import is_unknown
from codemods.kit.meaning.values import REST, Choice, Item, Obj, Value, class_name, container, is_a

STATE = "@state"
"""The field of a state_dict with whose it is."""
PICKLED = "@pickled"
"""The field of the world with whether a whole network was saved."""
_WRAPPERS = {
    "torch.nn.DistributedDataParallel": "module",
    "torch.nn.DataParallel": "module",
    "torch.nn.OptimizedModule": "_orig_mod",
}


class Saved(NamedTuple):
    """A part of a checkpoint."""

    what: str
    """A state or a whole network; "" for anything else."""
    owner: str = ""
    """The class of the module."""
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
    inner: Value = module
    while held := next((name for one, name in _WRAPPERS.items() if is_a(inner, one)), ""):
        inner = machine.facts.settle(inner.fields.get(held))
    every = each_parameter(machine, parameters(machine, inner))
    trained = any("@clipped" in one.fields for one in every)
    return Saved(what, class_name(inner), inner is not module, trained)


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


def _part(machine: Machine, value: Value) -> Saved:
    value = machine.facts.settle(value)
    if isinstance(value, Choice):
        options = {_part(machine, one) for one in value}
        return options.pop() if len(options) == 1 else Saved("")
    if is_a(value, "torch.nn.Module"):
        return _kept(machine, value, "whole network")
    held = value.fields.get(STATE) if isinstance(value, Obj) else None
    return held if isinstance(held, Saved) else Saved("")
