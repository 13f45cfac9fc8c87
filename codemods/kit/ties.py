"""Weights that two modules of a model share, where the model's class says so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.names import dotted
from codemods.kit.roles import Role

if TYPE_CHECKING:
    from codemods.kit.script import Script


@dataclass(frozen=True, eq=False)
class Tie:
    """One assignment of a shared parameter in a module: `self.decoder.weight = self.encoder.weight`."""

    class_: cst.ClassDef
    assign: cst.Assign
    method: str
    """The method that makes the tie."""
    tests: tuple[cst.BaseExpression, ...]
    """The conditions it stands under."""

    @property
    def names(self) -> tuple[str, str]:
        """What is bound and what it is bound to, as attributes of the model."""
        target, value = dotted(self.assign.targets[0].target) or "", dotted(self.assign.value) or ""
        return target.removeprefix("self."), value.removeprefix("self.")


def find_ties(script: Script) -> list[Tie]:
    """The ties that the classes of a script make while a model is built."""
    return list(_read(script))


def _read(script: Script) -> Iterator[Tie]:
    tree = script.tree
    for assign in tree.all(cst.Assign):
        value, target = dotted(assign.value), dotted(assign.targets[0].target)
        if value is None or target is None or not (value.startswith("self.") and target.startswith("self.")):
            continue
        last = target.rpartition(".")[2]
        shared = target.count(".") > 1 and value.count(".") > 1 and last == value.rpartition(".")[2]
        function, class_ = tree.function(assign), tree.class_of(assign)
        if not shared or function is None or class_ is None or last not in ("weight", "bias"):
            continue
        if script.roles.class_role(class_) is not Role.MODEL:
            continue
        tests = tuple(outer.test for outer in tree.ancestors(assign) if isinstance(outer, cst.If))
        around = [outer for outer in tree.ancestors(assign) if tree.function(outer) is function]
        if not any(isinstance(outer, cst.Else) for outer in around) and _is_made_first(script, class_, function):
            yield Tie(class_, assign, function.name.value, tests)


def _is_made_first(script: Script, class_: cst.ClassDef, function: cst.FunctionDef) -> bool:
    """Whether the tie is made while the model is built: in `__init__`, or in a method that it calls."""
    if function.name.value == "__init__":
        return True
    init = script.names.method(class_, "__init__")
    return any(script.tree.function(call) is init for call in script.roles.call_sites(function))
