"""What one process alone computes of a tensor that was reduced to it: `if rank == 0: total /= n`.

On XLA the result stays pending, and the next graph of that process is another one than the others'. All of them may
compute it: what `reduce` leaves in the tensors of the others is nobody's.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.edits import Edit, unwrapped
from codemods.kit.guards import joined, passes_one, side_by_side
from codemods.kit.ranks import CALLS
from codemods.kit.script import Script
from codemods.kit.tree import walk

_IN_PLACE = ("div_", "mul_", "add_", "sub_")
_NUMBERS = ("builtins.float", "builtins.int", "builtins.len")


def computed_by_one(script: Script, call: cst.Call, tensor: cst.BaseExpression) -> list[cst.If]:
    """The conditions beside a reduction under which the first process does nothing but sums with its result."""
    statement = script.tree.statement(call)
    if statement is None or not isinstance(tensor, cst.Name) or script.ranks.is_guarded(call):
        return []
    return [
        item
        for item in script.tree.block(statement)
        if isinstance(item, cst.If)
        and item.orelse is None
        and script.tree.before(call, item)
        and not _is_bound_between(script, call, item, tensor.value)
        and any(passes_one(script, part) for part in side_by_side(item.test, cst.And))
        and _is_everywhere(script, item.test, tensor.value)
        and all(_is_sum(script, small, tensor.value) for line in item.body.body for small in _smalls(line))
    ]


def open_to_all(script: Script, edit: Edit, guard: cst.If) -> None:
    """Every process computes it."""
    ranked = [passes_one(script, part) for part in side_by_side(guard.test, cst.And)]

    def opened(updated: cst.If) -> list[cst.BaseStatement] | cst.If:
        parts = zip(side_by_side(updated.test, cst.And), ranked, strict=False)
        rest = [part for part, is_rank in parts if not is_rank]
        return updated.with_changes(test=joined(rest, cst.And)) if rest else unwrapped(updated)

    edit.replace(guard, opened)


def _smalls(line: cst.CSTNode) -> list[cst.CSTNode]:
    return list(line.body) if isinstance(line, cst.SimpleStatementLine) else [line]


def _is_sum(script: Script, small: cst.CSTNode, name: str) -> bool:
    """`total /= n`, `total = total / n`, `total.div_(n)`"""
    if isinstance(small, cst.AugAssign):
        return _is_named(small.target, name) and _is_quiet(script, small.value, name)
    if isinstance(small, cst.Assign):
        value = small.value
        alone = len(small.targets) == 1 and _is_named(small.targets[0].target, name)
        return alone and isinstance(value, cst.BinaryOperation) and _is_quiet(script, value, name)
    call = small.value if isinstance(small, cst.Expr) else None
    func = call.func if isinstance(call, cst.Call) else None
    if not isinstance(call, cst.Call) or not isinstance(func, cst.Attribute) or not _is_named(func.value, name):
        return False
    return func.attr.value in _IN_PLACE and all(_is_quiet(script, arg.value, name) for arg in call.args)


def _is_named(node: cst.BaseExpression, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name


def _is_quiet(script: Script, node: cst.BaseExpression, tensor: str) -> bool:
    calls = [part for part in walk(node) if isinstance(part, cst.Call)]
    plain = all(script.qualified(one.func) in (*CALLS, *_NUMBERS) for one in calls)
    return plain and _is_everywhere(script, node, tensor)


def _is_everywhere(script: Script, node: cst.BaseExpression, tensor: str) -> bool:
    """Whether all processes have the names in it, but for the tensor: none is bound by one alone."""
    for name in (part for part in walk(node) if isinstance(part, cst.Name) and part.value != tensor):
        for binding in script.names.bindings(name):
            around = [outer.test for outer in script.tree.ancestors(binding.node) if isinstance(outer, cst.If)]
            chosen = [part.test for part in walk(binding.value) if isinstance(part, cst.IfExp)] if binding.value else []
            if any(passes_one(script, part) for test in (*around, *chosen) for part in side_by_side(test, cst.And)):
                return False
    return True


def _is_bound_between(script: Script, call: cst.Call, guard: cst.If, name: str) -> bool:
    """Whether the name is another tensor's when the condition is asked."""
    return any(
        script.tree.before(call, assign) and script.tree.before(assign, guard)
        for assign in script.tree.all(cst.Assign)
        for target in assign.targets
        if _is_named(target.target, name) and script.tree.function(assign) is script.tree.function(guard)
    )
