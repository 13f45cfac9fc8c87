"""Which functions of a script may run another, by the names they mention: more than do, and none that cannot."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.tree import Tree

_UNNAMED = ("forward", "training_step", "validation_step")
"""Methods that run without being named, as `__call__` does."""


class Mentions:
    """Who mentions whom."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[cst.FunctionDef, set[str] | None] = {}

    def may_run(self, function: cst.FunctionDef, wanted: cst.FunctionDef) -> bool:
        """Whether calling `function` may run `wanted`."""
        if wanted not in self._known:
            self._known[wanted] = self._runners(wanted)
        names = self._known[wanted]
        return function is wanted or names is None or not names.isdisjoint(self._mentioned[function])

    def _runners(self, wanted: cst.FunctionDef) -> set[str] | None:
        """The names whose mention may run a function; None when no name has to be mentioned."""
        names: set[str] = set()
        new = {wanted.name.value}
        while new:
            if any(name in _UNNAMED or name.startswith("__") for name in new):
                return None
            names |= new
            runs = (function for function, mentioned in self._mentioned.items() if not names.isdisjoint(mentioned))
            new = {function.name.value for function in runs} - names
        return names

    @cached_property
    def _mentioned(self) -> dict[cst.FunctionDef, set[str]]:
        """The names and attributes in each function."""
        found = {}
        for function in self._tree.all(cst.FunctionDef):
            nodes = list(walk(function.body))
            named = {node.value for node in nodes if isinstance(node, cst.Name)}
            found[function] = named | {node.attr.value for node in nodes if isinstance(node, cst.Attribute)}
        return found
