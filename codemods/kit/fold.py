"""Conditions the migration decides: `if isinstance(model, DDP):` is never true any more, so its branch goes."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from codemods.kit.build import code_of, parenthesized
from codemods.kit.edits import Edit, Result, is_pure, unwrapped
from codemods.kit.tree import Tree

Known = Mapping[cst.CSTNode, bool]
"""Expressions of the source whose truth the migration has settled."""


def fold(edit: Edit, tree: Tree, known: Known) -> None:
    """Take every condition built on these expressions as far as it goes: a branch is chosen, an operand of `and`/`or`
    drops out, or the expression becomes `True` or `False`. What would have been evaluated before stays when it may
    have an effect."""
    everything = edit.settle(known)
    for root in dict.fromkeys(condition(tree, node) for node in known):
        _settle(edit, tree, root, everything)


def condition(tree: Tree, node: cst.CSTNode) -> cst.CSTNode:
    """The whole condition an expression is an operand of, through `not`, `and` and `or`."""
    while True:
        parent = tree.parent.get(node)
        negated = isinstance(parent, cst.UnaryOperation) and isinstance(parent.operator, cst.Not)
        if parent is None or not (negated or isinstance(parent, cst.BooleanOperation)):
            return node
        node = parent


def truth(node: cst.CSTNode, known: Known) -> bool | None:
    """The truth of a condition as far as the known parts decide it."""
    if node in known:
        return known[node]
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        inner = truth(node.expression, known)
        return None if inner is None else not inner
    if isinstance(node, cst.BooleanOperation):
        decisive = isinstance(node.operator, cst.Or)  # one True decides an `or`, one False an `and`
        left, right = truth(node.left, known), truth(node.right, known)
        if left is decisive or (right is decisive and is_pure(node.left)):
            return decisive
        if left is not None and right is not None and decisive not in (left, right):
            return not decisive
    return None


def _settle(edit: Edit, tree: Tree, root: cst.CSTNode, known: Known) -> None:
    value = truth(root, known)
    if value is None:
        _thin(edit, root, known)
        return
    holder = tree.parent.get(root)
    if isinstance(holder, cst.If) and holder.test is root:
        edit.replace(holder, lambda updated: _branch(updated, value))
    elif isinstance(holder, cst.IfExp) and holder.test is root:
        edit.replace(holder, lambda updated: in_place_of(updated, updated.body if value else updated.orelse))
    elif isinstance(holder, cst.While) and not value:
        edit.replace(holder, lambda updated: unwrapped(updated.orelse) if updated.orelse else None)
    elif isinstance(holder, cst.Assert) and holder.test is root and value:
        edit.remove(holder)
    else:
        edit.replace(root, cst.Name("True" if value else "False"))


def _branch(updated: cst.If, value: bool) -> Result:
    """The branch of an `if` that is always taken, in the place of the whole."""
    if value:
        return unwrapped(updated)
    if isinstance(updated.orelse, cst.If):
        return updated.orelse.with_changes(leading_lines=[*updated.leading_lines, *updated.orelse.leading_lines])
    if updated.orelse is None:
        return None
    return unwrapped(updated.orelse.with_changes(leading_lines=[*updated.leading_lines, *updated.orelse.leading_lines]))


def _thin(edit: Edit, node: cst.CSTNode, known: Known) -> None:
    """Drop operands that no longer matter from a condition the rest of which stays."""
    if isinstance(node, cst.UnaryOperation):
        _thin(edit, node.expression, known)
    if not isinstance(node, cst.BooleanOperation):
        return
    decisive = isinstance(node.operator, cst.Or)
    left, right = truth(node.left, known), truth(node.right, known)
    if left is not None:
        edit.replace(node, lambda updated: in_place_of(updated, updated.right))
        _thin(edit, node.right, known)
    elif right is not None and right is not decisive:
        edit.replace(node, lambda updated: in_place_of(updated, updated.left))
        _thin(edit, node.left, known)
    else:
        if right is not None:
            edit.replace(node.right, cst.Name("True" if right else "False"))
        _thin(edit, node.left, known)
        if right is None:
            _thin(edit, node.right, known)


def in_place_of(whole: cst.BaseExpression, part: cst.BaseExpression) -> cst.BaseExpression:
    """A part of an expression in the place of the whole, in the parentheses that the whole stood in."""
    if whole.lpar and parenthesized(part) is not part:
        return part.with_changes(lpar=whole.lpar, rpar=whole.rpar)
    return part


# --- what an edit leaves: rewrites that look at the updated node -----------------------------------------------------


def unless_to_itself(updated: cst.Assign | cst.AnnAssign) -> Result:
    """An assignment, or nothing when it has become `x = x`."""
    target = updated.target if isinstance(updated, cst.AnnAssign) else updated.targets[0].target
    several = isinstance(updated, cst.Assign) and len(updated.targets) > 1
    if several or updated.value is None or code_of(target) != code_of(updated.value):
        return updated
    return None


def same_either_way(updated: cst.IfExp) -> cst.BaseExpression:
    """A ternary, or its only outcome when both have become the same."""
    same = code_of(updated.body) == code_of(updated.orelse)
    return in_place_of(updated, updated.orelse) if same else updated


def _bare(line: cst.CSTNode) -> str:
    """The text of a line without the comments above it."""
    bare = line.with_changes(leading_lines=[]) if hasattr(line, "leading_lines") else line
    return code_of(bare).strip()


def same_in_both_arms(updated: cst.If) -> Result:
    """An `if`, or its statements when both arms have become the same."""
    other = updated.orelse
    if not isinstance(other, cst.Else):
        return updated
    if len(updated.body.body) != len(other.body.body):
        return updated
    mine, others = ([_bare(line) for line in block.body.body] for block in (updated, other))
    return unwrapped(updated) if mine == others else updated
