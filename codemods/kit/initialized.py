"""When apex computes in low precision: when `amp.initialize` ran, and not when the loss is scaled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.edits import is_pure
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.script import Script


def enabled_when(script: Script, asked: str, span: Sequence[cst.BaseStatement]) -> str | None:
    """The condition of `amp.initialize` as statements can ask it; empty for always, None if they cannot.

    `asked`: the condition under which the loss is scaled, which is the answer where this file does not initialize, or
    does it always.
    """
    each = [_conditions(script, call) for call in script.calls("apex.amp.initialize")]
    written = {_joined(tests) for tests in each}
    around = {code_of(test) for item in span for test in _conditions(script, item)}
    if not all(each) or not written or written == {asked} or (not asked and around >= written):
        return asked
    known = all(_means_the_same(script, test, span[0]) for tests in each for test in tests)
    return written.pop() if known and len(written) == 1 else None


def _joined(tests: Sequence[cst.BaseExpression]) -> str:
    loose = (cst.BooleanOperation, cst.IfExp)
    parts = (f"({code_of(one)})" if len(tests) > 1 and isinstance(one, loose) else code_of(one) for one in tests)
    return " and ".join(parts)


def _conditions(script: Script, node: cst.CSTNode) -> list[cst.BaseExpression]:
    """What a node stands under, outermost first; a script that is run has no condition."""
    tree = script.tree
    holders = [outer for outer in tree.ancestors(node) if isinstance(outer, cst.If) and tree.contains(outer.body, node)]
    return [outer.test for outer in reversed(holders) if not code_of(outer.test).startswith("__name__")]


def _means_the_same(script: Script, test: cst.BaseExpression, place: cst.CSTNode) -> bool:
    """Whether a condition can be asked again somewhere else, and is the same there."""
    names = script.names
    for name in (node for node in walk(test) if isinstance(node, cst.Name) and names.is_reference(node)):
        there = names.find(name.value, names.scope(place))
        if there is None or there[1] != names.bindings(name):
            return False
    return is_pure(test)
