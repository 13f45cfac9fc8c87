"""What the constants of a script decide: `USE_CUDA = False`, by which its author turns a part of it off."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.fold import truth

if TYPE_CHECKING:
    from codemods.kit.script import Script


def decided(script: Script, test: cst.BaseExpression) -> bool | None:
    """The truth of a condition as far as constants decide it: `False`, a name that is bound to one, `not`, `and` and
    `or` of such. None when they do not."""
    known: dict[cst.CSTNode, bool] = {}
    for part in _parts(test):
        found = _constant(script, part)
        if found is not None:
            known[part] = found
    return truth(test, known)


def _parts(test: cst.BaseExpression) -> list[cst.BaseExpression]:
    """What `not`, `and` and `or` join."""
    if isinstance(test, cst.UnaryOperation) and isinstance(test.operator, cst.Not):
        return _parts(test.expression)
    if isinstance(test, cst.BooleanOperation):
        return [*_parts(test.left), *_parts(test.right)]
    return [test]


def _constant(script: Script, part: cst.BaseExpression) -> bool | None:
    if not isinstance(part, cst.Name | cst.Integer):
        return None
    candidates = script.estimators.literals.candidates(part)
    only = candidates[0] if len(candidates) == 1 else part
    if isinstance(only, cst.UnaryOperation | cst.BooleanOperation):
        return decided(script, only)
    value = script.estimators.literals.value(part)
    return bool(value) if isinstance(value, int) else None
