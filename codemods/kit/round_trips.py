"""Models that go to the CPU and come back: `model.cpu()`, a save, `model.to(device)`.

On XLA the model comes back with new parameters (torch_xla 2.1 and 2.9): an optimizer that was built before holds the
old ones, and trains nothing any more, without an error. On CUDA it keeps training.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.names import dotted
from codemods.kit.roles import Role
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.script import Script


@dataclass(frozen=True, eq=False)
class RoundTrip:
    """One way to the CPU and back."""

    away: cst.Call
    back: cst.Call
    model: str
    saves: bool
    """Whether the model is only saved in between."""
    sure: bool
    """Whether it comes back on every way: no `if` of its own decides."""


def round_trips(script: Script) -> Iterator[RoundTrip]:
    """The round trips of a script's models, in source order."""
    tree = script.tree
    for away in tree.all(cst.Call):
        if not is_method(away, "cpu") or not _is_model(script, away):
            continue
        model, line = root(away), tree.statement(away)
        block = list(tree.block(line)) if line is not None else []
        below = [item for item in block if item is line or tree.before(away, item)]
        back = next((c for c in tree.all(cst.Call) if _comes_back(script, away, c, model, below)), None)
        if back is not None:
            between = [item for item in below if not tree.contains(item, away) and tree.before(item, back)]
            between = [item for item in between if not tree.contains(item, back)]
            sure = tree.statement(back) in below
            yield RoundTrip(away, back, model, all(_only_saves(script, item, model) for item in between), sure)


def is_method(call: cst.Call, name: str) -> bool:
    """Whether a call is `x.name(...)`."""
    return isinstance(call.func, cst.Attribute) and call.func.attr.value == name


def root(node: cst.BaseExpression) -> str:
    """The name at the start of a chain of calls: `model` in `model.eval().cpu()`, and in `model.module.cpu()`."""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        node = node.func.value
    return (dotted(node) or "").removesuffix(".module")


def _is_model(script: Script, away: cst.Call) -> bool:
    """By its role, or because its state is asked for in the same breath: `net.cpu().state_dict()`."""
    holder = script.tree.parent.get(away)
    asked = isinstance(holder, cst.Attribute) and holder.attr.value == "state_dict"
    return asked or script.is_a(away.func.value, Role.MODEL)  # type: ignore[attr-defined]


def _comes_back(script: Script, away: cst.Call, call: cst.Call, model: str, below: list[cst.BaseStatement]) -> bool:
    """Whether a call brings the model back, below in the same block or under an `if` of that block."""
    tree = script.tree
    if not (is_method(call, "to") or is_method(call, "cuda")) or root(call) != model or not tree.before(away, call):
        return False
    statement = tree.statement(call)
    branches = [item for item in below if isinstance(item, cst.If) and statement in item.body.body]
    return statement in below or bool(branches)


def _only_saves(script: Script, item: cst.BaseStatement, model: str) -> bool:
    """Whether a statement uses the model, if at all, to save its state."""
    for node in walk(item):
        if isinstance(node, cst.Name | cst.Attribute) and dotted(node) == model:
            holder = script.tree.parent.get(node)
            if not (isinstance(holder, cst.Attribute) and holder.attr.value in ("state_dict", "module")):
                return False
    return True
