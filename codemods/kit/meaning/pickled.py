"""Checkpoints that hold more than a plain state: whole networks, the settings of the program, its own objects.

Since torch 2.6 `torch.load` reads nothing else unless it is told to, and raises.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.states import STATE
from codemods.kit.meaning.tensors import is_tensor
from codemods.kit.meaning.values import LOADED, NO_TAINTS, ClassValue, Item, Obj, Value, container, is_a

_OF_NETWORKS = ("eval", "train", "parameters", "named_parameters", "state_dict", "modules", "children", "forward",
                "zero_grad", "named_modules", "requires_grad_")  # fmt: skip
_GIVES_ITSELF = ("to", "cuda", "cpu", "eval", "train", "float", "half", "requires_grad_")


@dataclass
class Pickled:
    """Follows what is loaded, and what was saved that is no plain state."""

    _loads: dict[int, tuple[ast.Call, Obj, bool]] = field(default_factory=dict)
    """By number, what was loaded: the call, and whether the program wrote the file itself."""
    _whole: set[ast.Call] = field(default_factory=set)
    """Calls whose result is used as a network."""
    _keys: list[set[object]] = field(default_factory=list)
    """The keys of each checkpoint that was saved and is no plain state; none of one that is no dict."""
    _plain: list[set[object]] = field(default_factory=list)
    """The keys of the others."""
    _owners: dict[ast.Call, Obj] = field(default_factory=dict)

    def load(self, call: ast.Call, made: Obj, own: bool) -> None:
        """Something was loaded."""
        self._loads[made.serial] = call, made, own

    def save(self, machine: Machine, value: Value) -> None:
        """Something is saved."""
        value = machine.facts.settle(value)
        items: dict[object, Value] = {}
        if isinstance(value, Obj) and container(value) == "dict" and STATE not in value.fields:
            items = {name.key: one for name, one in value.fields.items() if isinstance(name, Item)}
        more = any(_needs_more(machine.facts.settle(one)) for one in (items.values() if items else (value,)))
        (self._keys if more else self._plain).append(set(items))

    def see(self, call: ast.Call, node: ast.AST, value: Value) -> None:
        """An expression of a call has been evaluated: what is called, or the object whose method it is."""
        function = call.func
        owner = function.value if isinstance(function, ast.Attribute) else None
        if node is not function and node is not owner:
            return
        if node is owner:
            self._owners.pop(call, None)
        if not isinstance(value, Obj) or LOADED not in value.fields.get("@taints", NO_TAINTS):
            return
        load = self._load_of(value)
        if load is None:
            return
        method = isinstance(function, ast.Attribute) and load[1].fields.get(function.attr) is value
        if (node is function and not method) or (isinstance(function, ast.Attribute) and function.attr in _OF_NETWORKS):
            self._whole.add(load[0])
        if isinstance(function, ast.Attribute) and function.attr in _GIVES_ITSELF:
            self._owners[call] = value

    def leave(self, call: ast.Call, made: Value) -> None:
        """A call has been made: `torch.load(path).to(device)` is what was loaded."""
        owner = self._owners.pop(call, None)
        load = self._load_of(owner) if owner is not None else None
        if load is not None and isinstance(made, Obj):
            self._loads.setdefault(made.serial, (load[0], made, load[2]))

    def _load_of(self, value: Obj) -> tuple[ast.Call, Obj, bool] | None:
        """What it was loaded with, as a whole or in a dict."""
        if value.serial in self._loads:
            return self._loads[value.serial]
        inside = (load for load in self._loads.values() for one in load[1].fields.values() if one is value)
        return next(inside, None)

    def calls(self) -> dict[ast.AST, bool]:
        """Calls that load what is no plain state: whether that is used as a network."""
        found: dict[ast.AST, bool] = dict.fromkeys(self._whole, True)
        for call, made, own in self._loads.values():
            asked = {one.key for one in made.fields if isinstance(one, Item)}
            parts = {one for one in made.fields if isinstance(one, str) and one[:1] not in "@["} - set(dir(dict))
            plain = any(asked <= keys for keys in self._plain if asked)
            if any((asked <= keys and not plain) if asked else ((own or parts) and not keys) for keys in self._keys):
                found.setdefault(call, False)
        return found


def _needs_more(value: Value) -> bool:
    """Whether a part of a checkpoint is an object of a class: not one of Python's containers, nor a tensor."""
    if not isinstance(value, Obj) or not isinstance(value.cls, ClassValue) or is_tensor(value) or container(value):
        return False
    if is_a(value, "torch.nn.Module") or is_a(value, "torch.optim.Optimizer"):
        return True
    return value.cls.module.partition(".")[0] not in ("torch", "builtins", "collections", "numpy")
