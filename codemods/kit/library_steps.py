"""Calls of other libraries' objects that do the backward and the step: `loss_scaler(loss, optimizer, ...)` of timm."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from codemods.kit.roles import LIBRARY_SCALERS, Roles
from codemods.kit.tree import Tree


@dataclass(frozen=True)
class LibraryStep:
    """One call of timm's `NativeScaler`: `(loss, optimizer, clip_grad=None, clip_mode="norm", parameters=None,
    create_graph=False, need_update=True)`. Source: timm 0.4-1.0 utils/cuda.py."""

    call: cst.Call
    line: cst.SimpleStatementLine
    """The statement that is this call."""
    evidence: tuple[str, ...]


def library_steps(tree: Tree, roles: Roles) -> Iterator[LibraryStep]:
    """The calls that can be written out: statements, whose arguments are not packed."""
    for call in tree.all(cst.Call):
        line = tree.parent.get(tree.parent[call])
        if len(call.args) < 2 or not isinstance(tree.parent[call], cst.Expr) or any(arg.star for arg in call.args):
            continue
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1:
            continue
        if isinstance(call.func, cst.Name | cst.Attribute):
            for value in roles.values(call.func):
                if value.of in LIBRARY_SCALERS:
                    yield LibraryStep(call, line, value.evidence)
                    break
