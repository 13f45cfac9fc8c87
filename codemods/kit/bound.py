"""Whether a name certainly holds a model below some statement, or only where a condition holds."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.edits import is_pure
from codemods.kit.names import dotted
from codemods.kit.script import Script
from codemods.kit.tree import walk

_NOTHING = ("None", "False", "0", "''", '""')
_ENDS = (cst.Raise, cst.Return, cst.Continue, cst.Break)


def outside(script: Script, name: str, node: cst.CSTNode) -> tuple[cst.CSTNode, cst.BaseExpression | None]:
    """The outermost `if` around a node below which `name` holds a model, and the condition under which it does.

    `if parallel:`, `if with_probe:`, `probe = DataParallel(probe)`: below the first, if `with_probe`. Where no
    condition is seen, the node itself.
    """
    guards = list(_guards(script, node))
    while guards and not _holds_below(script, name, guards[-1]) and _implies(script, guards[-1], name):
        guards.pop()
    if not guards:
        return node, None
    certain = [guard for guard in guards if _holds_below(script, name, guard)]
    if certain:
        return certain[-1], None
    for guard in guards:
        if _implies(script, guard, name) and is_pure(guard.test) and script.tree.contains(guard.body, node):
            return guards[-1], guard.test
    return node, None


def _guards(script: Script, node: cst.CSTNode) -> Iterator[cst.If]:
    """The `if` around a node, innermost first, up to its loop or function; of an `elif` the first of its chain."""
    for outer in script.tree.ancestors(node):
        if isinstance(outer, cst.FunctionDef | cst.For | cst.While | cst.Module) or script.is_main_guard(outer):
            return
        if isinstance(outer, cst.If) and not isinstance(script.tree.parent.get(outer), cst.If):
            yield outer


def _holds_below(script: Script, name: str, guard: cst.If) -> bool:
    """Whether a name certainly holds something below an `if`: it is bound in each arm, or above; or elsewhere."""
    tree = script.tree
    function = tree.function(guard)
    if not any(True for _ in _bindings(script, name, function)):
        return True  # of another function, or a parameter
    if function is not None and any(param.name.value == name for param in function.params.params):
        return True
    place: cst.CSTNode | None = guard
    if _binds(guard, name):
        return True
    while place is not None and place is not function:
        if any(_binds(item, name) for item in tree.block(place) if tree.before(item, place)):
            return True
        place = tree.parent.get(place)
        while place is not None and not isinstance(place, cst.BaseStatement):
            place = tree.parent.get(place)
    return False


def _bindings(script: Script, name: str, function: cst.FunctionDef | None) -> Iterator[cst.Assign]:
    for assign in script.tree.all(cst.Assign):
        if script.tree.function(assign) is function and _binds_small(assign, name):
            yield assign


def _binds(item: cst.CSTNode, name: str) -> bool:
    """Whether a statement binds a name to something, whichever way it goes through it."""
    if isinstance(item, cst.If):
        return item.orelse is not None and _binds(item.body, name) and _binds(item.orelse, name)
    if isinstance(item, cst.Else | cst.With | cst.Try):
        return _binds(item.body, name)
    if isinstance(item, cst.BaseSuite | cst.SimpleStatementLine):
        return any(_binds(each, name) or isinstance(each, _ENDS) for each in item.body)
    return isinstance(item, cst.Assign) and _binds_small(item, name)


def _binds_small(assign: cst.Assign, name: str) -> bool:
    targets = (part for target in assign.targets for part in walk(target.target))
    named = any(isinstance(part, cst.Name | cst.Attribute) and dotted(part) == name for part in targets)
    arms = (assign.value.body, assign.value.orelse) if isinstance(assign.value, cst.IfExp) else (assign.value,)
    return named and not any(code_of(arm) in _NOTHING for arm in arms)


def _implies(script: Script, guard: cst.If, name: str) -> bool:
    """Whether the condition of an `if` says that a name holds something: it asks the name itself, what stands around a
    line that binds it, or a flag that is set beside such a line."""
    tree = script.tree
    asked = {dotted(part) for part in walk(guard.test) if isinstance(part, cst.Name | cst.Attribute)}
    if name in asked:
        return True
    for assign in _bindings(script, name, tree.function(guard)):
        if tree.contains(guard, assign):
            continue
        conditions = (code_of(outer.test) for outer in _guards(script, assign))
        line = tree.statement(assign)
        beside = tree.block(line) if line is not None and any(True for _ in _guards(script, assign)) else ()
        set_there = {dotted(t.target) for item in beside for part in walk(item) if isinstance(part, cst.Assign)
                     for t in part.targets if tree.statement(part) in beside}  # fmt: skip
        if code_of(guard.test) in conditions or (asked & set_there - {name}):
            return True
    return False
