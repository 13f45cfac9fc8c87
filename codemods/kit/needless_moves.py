"""Moves of a batch to the device it is on already, and the statements that do nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.batches import Batches
from codemods.kit.edits import is_pure

if TYPE_CHECKING:
    from codemods.kit.script import Script

_PLAIN = ("device", "non_blocking", "async")


class NeedlessMoves:
    """The moves in one loop that its device loader makes needless."""

    def __init__(self, script: Script, batches: Batches) -> None:
        self.script = script
        self.loop = batches.loop
        self.calls = [call for call in script.loaders.moves if self._is_needless(call, batches)]
        self._known = frozenset(self.calls)

    def _is_needless(self, call: cst.Call, batches: Batches) -> bool:
        """A move of the batch that changes nothing else: no type, no copy."""
        tree = self.script.tree
        if not tree.contains(self.loop.loop.body, call) or tree.function(call) is not self.loop.function:
            return False
        for index, arg in enumerate(call.args):
            if arg.star or (index > 0 if arg.keyword is None else arg.keyword.value not in _PLAIN):
                return False
        return (
            isinstance(call.func, cst.Attribute)
            and batches.is_on_device(call.func.value)
            and not any(map(self._makes_rows, tree.ancestors(call)))
        )

    def _makes_rows(self, node: cst.CSTNode) -> bool:
        """Whether a comprehension, or a `map`, makes the list of its rows of a batch that may be one tensor."""
        over: Sequence[cst.BaseExpression] = ()
        if isinstance(node, cst.GeneratorExp | cst.ListComp):
            over = (node.for_in.iter,)
        elif isinstance(node, cst.Call) and self.script.qualified(node.func) == "builtins.map":
            over = [arg.value for arg in node.args[1:]]
        return any(map(self.script.roles.gives_rows, over))

    # --- statements that only move ------------------------------------------------------------------------------------

    def statement(self, call: cst.Call) -> cst.CSTNode | None:
        """The outermost statement around a move that does nothing once the moves are gone; None when there is none."""
        found = self.statements(call)
        return found[-1] if found else None

    def statements(self, call: cst.Call) -> list[cst.CSTNode]:
        """Every statement around a move that does nothing once the moves are gone, the innermost first."""
        tree = self.script.tree
        found: list[cst.CSTNode] = []
        node: cst.CSTNode | None = tree.small_statement(call)
        while node is not None and node is not self.loop.loop and self.only_moves(node):
            found.append(node)
            node = tree.small_statement(tree.parent[node])
        return found

    def expression(self, call: cst.Call) -> cst.BaseExpression:
        """The outermost expression around a move that is only there for it: a comprehension over the batch, or the
        condition in `v.to(device) if torch.is_tensor(v) else v`; the move itself when there is none."""
        found: cst.BaseExpression = call
        for outer in self.script.tree.ancestors(call):
            if isinstance(outer, cst.BaseStatement | cst.BaseSmallStatement):
                break
            if isinstance(outer, cst.BaseExpression) and self.left_of(outer) is not outer:
                found = outer
        return found

    def left_of(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """What an expression is once the moves are gone."""
        whole = self.whole(node)
        return whole if whole is not None else self.without_moves(node)

    def only_moves(self, statement: cst.CSTNode) -> bool:
        """Whether a statement does nothing once these moves are gone: `x, y = x.to(device), y.to(device)`."""
        if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
            return self._same(statement.targets[0].target, statement.value)
        if isinstance(statement, cst.Expr):  # `batch.to(device)` of a batch that moves itself
            moved = self.without_moves(statement.value)
            return moved is not statement.value and isinstance(moved, cst.Name | cst.Attribute | cst.Subscript)
        if isinstance(statement, cst.SimpleStatementLine):
            return all(self.only_moves(small) for small in statement.body)
        if isinstance(statement, cst.For):
            plain = self._is_plain(statement.iter)
            return statement.orelse is None and plain and self._all_only(statement.body)
        if isinstance(statement, cst.If):
            return statement.orelse is None and is_pure(statement.test) and self._all_only(statement.body)
        return False

    def _is_plain(self, iterated: cst.BaseExpression) -> bool:
        """`batch.items()`, `range(len(batch))`, `["image", "label"]`: going through it does nothing."""
        if not isinstance(iterated, cst.Call):
            return True
        if isinstance(iterated.func, cst.Attribute):
            return iterated.func.attr.value in ("items", "keys", "values")
        return (self.script.qualified(iterated.func) or "").startswith("builtins.")

    def _all_only(self, body: cst.BaseSuite) -> bool:
        return all(self.only_moves(inner) for inner in body.body)

    def _same(self, target: cst.BaseExpression, value: cst.BaseExpression) -> bool:
        """Whether the target already is what the value becomes."""
        value = self.without_moves(value)
        if isinstance(target, cst.Tuple | cst.List) and isinstance(value, cst.Tuple | cst.List):
            pairs = list(zip(target.elements, value.elements, strict=False))
            return len(target.elements) == len(value.elements) and all(self._same(a.value, b.value) for a, b in pairs)
        whole = self.whole(value)
        if whole is not None:
            return self._same(target, whole)
        if isinstance(target, cst.Subscript) and isinstance(value, cst.Name):
            return self._is_item(target, value)
        return isinstance(target, cst.Name | cst.Subscript | cst.Attribute) and target.deep_equals(value)

    def without_moves(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """What an expression is once the moves around it are gone; also of `v.to(device) if is_tensor(v) else v`."""
        while isinstance(node, cst.Call) and node in self._known and isinstance(node.func, cst.Attribute):
            node = node.func.value
        if isinstance(node, cst.IfExp):
            body = self.without_moves(node.body)
            if body is not node.body and body.deep_equals(node.orelse):
                return node.orelse
        return node

    def whole(self, node: cst.BaseExpression) -> cst.BaseExpression | None:
        """The batch that an expression takes apart and puts together again: `[t.to(device) for t in batch]`, a tuple of
        that, `{k: v.to(device) for k, v in batch.items()}`, `map(lambda t: t.to(device), batch)`."""
        if isinstance(node, cst.Call):
            name = self.script.qualified(node.func)
            if name in ("builtins.tuple", "builtins.list") and len(node.args) == 1:
                return self.whole(node.args[0].value)
            if name == "builtins.map" and len(node.args) == 2 and self._is_identity(node.args[0].value):
                return node.args[1].value
            return None
        if not isinstance(node, cst.GeneratorExp | cst.ListComp | cst.DictComp):
            return None
        over = node.for_in
        element = node.value if isinstance(node, cst.DictComp) else node.elt
        bare = self.left_of(element)
        if over.ifs or over.inner_for_in is not None or bare is element:
            return None
        if not isinstance(node, cst.DictComp):
            return over.iter if _is_name(over.target, bare) else None
        items = over.iter
        if not isinstance(items, cst.Call) or not isinstance(items.func, cst.Attribute):
            return None
        pair = over.target.elements if isinstance(over.target, cst.Tuple) else ()
        same = len(pair) == 2 and _is_name(pair[0].value, node.key) and _is_name(pair[1].value, bare)
        return items.func.value if same and items.func.attr.value == "items" else None

    def _is_identity(self, function: cst.BaseExpression) -> bool:
        """`lambda t: t.to(device)`"""
        if not isinstance(function, cst.Lambda) or len(function.params.params) != 1:
            return False
        bare = self.without_moves(function.body)
        return bare is not function.body and _is_name(function.params.params[0].name, bare)

    def _is_item(self, target: cst.Subscript, value: cst.Name) -> bool:
        """`batch[k] = v` in `for k, v in batch.items()`, or `for i, v in enumerate(batch)`."""
        key = target.slice[0].slice if len(target.slice) == 1 else None
        for binding in self.script.names.bindings(value):
            over = binding.value
            if not (isinstance(binding.node, cst.For) and isinstance(over, cst.Call) and isinstance(key, cst.Index)):
                continue
            if not self.script.tree.contains(binding.node.body, target) or binding.path != (1,):
                continue
            first = binding.node.target
            if not isinstance(first, cst.Tuple) or not first.elements[0].value.deep_equals(key.value):
                continue
            if isinstance(over.func, cst.Attribute) and over.func.attr.value == "items":
                return over.func.value.deep_equals(target.value)
            if self.script.qualified(over.func) == "builtins.enumerate" and over.args:
                return over.args[0].value.deep_equals(target.value)
        return False


def _is_name(node: cst.CSTNode, other: cst.CSTNode) -> bool:
    return isinstance(node, cst.Name) and isinstance(other, cst.Name) and node.value == other.value
