"""Where one process alone reads what a collective left pending: the graph has to be executed before, by all of them.

A read executes what its value needs, the collective too. Where a condition on the rank leaves out the other processes,
they execute another graph: the collective waits for them for ever, or meets another of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.gradients import last_name

if TYPE_CHECKING:
    from codemods.kit.script import Script

_READS = ("item", "tolist", "cpu", "numpy", "float", "int", "bool")


def read_by_one(
    script: Script, call: cst.Call, tensor: cst.BaseExpression, opened: Sequence[cst.If] = ()
) -> list[cst.CSTNode]:
    """The statements before which the graph has to be executed, after a collective that changed a tensor in place; the
    collective's own where the function gives back what it reduced of the host's values: whoever asks for that reads it.
    Not conditions that are `opened` to all.
    """
    if not isinstance(tensor, cst.Name) or script.ranks.is_guarded(call):
        return []
    found: list[cst.CSTNode] = []
    for node in _uses(script, call, tensor.value, opened):
        if isinstance(node, cst.Return):
            found += [call] if _is_of_the_host(script, tensor) else _of_callers(script, node)
        elif not _executes_between(script, call, node):
            found.append(node)
    return list(dict.fromkeys(found))[:1]


def _uses(
    script: Script, place: cst.CSTNode, name: str, opened: Sequence[cst.If] = ()
) -> Iterator[cst.CSTNode]:
    """The conditions on the rank under which a tensor is read after a place, and the statements that return it."""
    tree, held = script.tree, {name}
    later = [log.statement for log in script.marks(scaled=False).logs]  # they run after a mark
    for use in tree.all(cst.Name):
        if use.value not in held or not tree.before(place, use) or tree.contains(place, use):
            continue
        if tree.function(use) is not tree.function(place):
            continue
        statement = tree.small_statement(use)
        if statement in later:
            continue
        if isinstance(statement, cst.Assign) and tree.contains(statement.targets[0], use):
            held.discard(use.value)
        elif use in (getattr(tree.parent[use], "attr", None), getattr(tree.parent[use], "keyword", None)):
            continue  # a name of something else: `meter.total`, `f(total=0)`
        elif (guard := _guard(script, use, place)) is not None:
            if guard not in opened:
                yield guard
        elif _is_read(script, use):
            if isinstance(tree.parent[use], cst.Attribute):
                held.discard(use.value)  # `total.item()`, by every process: nothing of it is pending below
        elif isinstance(statement, cst.Return):
            yield statement
        elif isinstance(statement, cst.Assign) and isinstance(statement.targets[0].target, cst.Name):
            held.add(statement.targets[0].target.value)


def _guard(script: Script, use: cst.Name, place: cst.CSTNode) -> cst.If | None:
    """The outermost condition on the rank around a use, and not around a place."""
    found = None
    for outer in script.tree.ancestors(use):
        if isinstance(outer, cst.If) and not script.tree.contains(outer, place):
            if not script.tree.contains(outer.test, use) and script.ranks.asks_rank(outer.test):
                found = outer
    return found


def _is_read(script: Script, use: cst.Name) -> bool:
    """`(total / n).item()`: what the host gets here is a number."""
    for outer in script.tree.ancestors(use):
        if isinstance(outer, cst.BaseStatement | cst.BaseSmallStatement):
            break
        if isinstance(outer, cst.Call) and last_name(outer) in _READS:
            return True
    return False


def _of_callers(script: Script, returned: cst.Return) -> Iterator[cst.CSTNode]:
    """Where callers in this file read under a condition on the rank what a function returns."""
    tree, function = script.tree, script.tree.function(returned)
    for call in script.roles.call_sites(function) if function is not None else ():
        statement = tree.small_statement(call)
        target = statement.targets[0].target if isinstance(statement, cst.Assign) else None
        if isinstance(target, cst.Name) and isinstance(statement, cst.Assign) and statement.value is call:
            uses = _uses(script, statement, target.value)
            yield from (use for use in uses if isinstance(use, cst.If) and not _executes_between(script, call, use))


def _is_of_the_host(script: Script, tensor: cst.Name) -> bool:
    """`torch.tensor(count, device=device)`"""
    made = script.names.assigned(tensor)
    return isinstance(made, cst.Call) and script.qualified(made.func) in ("torch.tensor", "torch.as_tensor")


def _executes_between(script: Script, first: cst.CSTNode, second: cst.CSTNode) -> bool:
    """Whether the graph is executed between two places, by what is written or by what is to be."""
    tree = script.tree
    plan = script.marks(scaled=False)
    marks = [*script.loops.executing, *(mark.node for mark in plan.marks), *(step.call for step in plan.barriers)]
    return any(tree.before(first, mark) and tree.before(mark, second) for mark in marks) or any(
        tree.before(first, mark.node) and mark.node is second for mark in plan.marks if not mark.after
    )
