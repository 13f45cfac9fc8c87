"""Which calls give a loaded state to an object that keeps it, in the place of tensors that it had on the accelerator.

A module copies what it loads to where its parameters are. An average of the program's own, `self.shadow = state`, keeps
the tensors themselves, and so has them where the checkpoint was loaded to.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.tensors import ACCELERATORS, HOST, gather
from codemods.kit.meaning.values import LOADED, Obj, Value

_MOVES = ("to", "cuda")


@dataclass
class _Given:
    """A call of a method with what came from a checkpoint."""

    owner: Obj
    state: Value
    had: dict[str, Value]
    """The owner's attributes that are tensors on the accelerator, or hold such only."""


class Kept:
    """Watches the calls of methods."""

    def __init__(self) -> None:
        self.calls: dict[ast.AST, str] = {}
        """The calls, and what the first argument is that the object keeps: a dict, a list or a Tensor. Empty where it
        keeps something else of it."""
        self._owners: dict[ast.AST, Obj] = {}
        self._given: dict[ast.AST, _Given] = {}

    def see(self, machine: Machine, call: ast.Call, node: ast.AST, value: Value) -> None:
        """An expression of a call has been evaluated: the object whose method it is, or the first argument."""
        if not isinstance(call.func, ast.Attribute) or not call.args or not machine.cuda:
            return
        if node is call.func.value:
            owner = machine.facts.settle(value)
            self._owners.pop(call, None)
            if isinstance(owner, Obj):
                self._owners[call] = owner
        elif node is call.args[0] and (owner := self._owners.get(call)) is not None:
            moved = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MOVES
            if not moved and LOADED in gather(machine, (value,)).taints:
                had = {name: one for name, one in owner.fields.items() if _is_placed(machine, one)}
                self._given[call] = _Given(owner, value, had)

    def leave(self, machine: Machine, call: ast.Call) -> None:
        """A call has been made: what does the object hold now?"""
        given = self._given.pop(call, None)
        if given is None:
            return
        for name, before in given.had.items():
            now = given.owner.fields.get(name)
            if now is not before and self._is_loaded(machine, now):
                kind = _kind(before) if now is given.state else ""
                self.calls[call] = kind if self.calls.get(call, kind) == kind else ""

    def _is_loaded(self, machine: Machine, value: Value) -> bool:
        """Whether a value came from a checkpoint, is not on the accelerator by now, and the program did not have it
        loaded to the host itself."""
        found = gather(machine, (value,))
        places = [machine.facts.settle(tensor.fields.get("@device")) for tensor in found.tensors]
        return LOADED in found.taints and {HOST, *ACCELERATORS}.isdisjoint(places)


def _kind(value: Value) -> str:
    """`dict`, `list`, `Tensor`: the name of a value's class."""
    return str(getattr(value.cls, "name", value.cls)) if isinstance(value, Obj) else ""


def _is_placed(machine: Machine, value: Value) -> bool:
    """Whether a value is a dict, a list or an attribute of nothing but tensors on the accelerator."""
    tensors = gather(machine, (machine.facts.settle(value),)).tensors
    places = [machine.facts.settle(tensor.fields.get("@device")) for tensor in tensors]
    return bool(places) and all(place in ACCELERATORS for place in places)
