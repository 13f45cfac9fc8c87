"""What is surely on the host: numbers, texts and arrays, also when the name of a loss has come to hold one,
`loss = loss.item()`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.names import Binding
from codemods.kit.readers import READING
from codemods.kit.scalars import first_of_data

if TYPE_CHECKING:
    from codemods.kit.script import Script

_NUMBERS = ("builtins.float", "builtins.int", "builtins.bool", "builtins.str", "builtins.len",
            "math.isnan", "math.isinf", "math.isfinite", "math.exp", "math.log", "math.sqrt")  # fmt: skip


class Hosted:
    """Answers for the expressions of a script, each where it stands."""

    def __init__(self, script: Script, is_live: Callable[[cst.BaseExpression | None], bool]) -> None:
        self.script, self._is_live = script, is_live
        self._known: dict[cst.BaseExpression, bool] = {}

    def reaching(self, node: cst.BaseExpression) -> list[Binding]:
        """The bindings that a name may have its value from where it stands."""
        return self.script.estimators.literals.reaching(node)

    def is_bound(self, binding: Binding) -> bool:
        """Whether a name is bound to what is on the host."""
        value = binding.value
        if binding.kind not in ("assign", "augmented", "walrus") or value is None:
            return False
        for index in binding.path:
            if not isinstance(value, cst.Tuple | cst.List) or index >= len(value.elements):
                return False
            value = value.elements[index].value
        before = binding.node.target if isinstance(binding.node, cst.AugAssign) else value
        return self.holds(value) and self.holds(before)

    def holds(self, node: cst.BaseExpression) -> bool:
        """Whether an expression is surely on the host, and no tensor."""
        found = self._known.get(node)
        if found is None:
            self._known[node] = False  # a name made of itself
            found = self._known[node] = self._holds(node)
        return found

    def _holds(self, node: cst.BaseExpression) -> bool:
        if isinstance(node, cst.BaseNumber | cst.BaseString):
            return True
        if isinstance(node, cst.BinaryOperation):
            return self._holds_both(node.left, node.right)
        if isinstance(node, cst.UnaryOperation):
            return self.holds(node.expression)
        if isinstance(node, cst.IfExp):
            return self.holds(node.body) and self.holds(node.orelse)
        if isinstance(node, cst.Subscript):
            return first_of_data(self.script.roles, node) is not None or self.holds(node.value)
        if isinstance(node, cst.Call):
            return self._holds_call(node)
        bindings = self.reaching(node)
        return bool(bindings) and all(map(self.is_bound, bindings))

    def _holds_both(self, left: cst.BaseExpression, right: cst.BaseExpression) -> bool:
        """`"%.4f" % loss`, `a.item() + 1`, and `loss.item() / count` of a count that nobody knows to be a tensor."""
        if isinstance(left, cst.BaseString) or (self.holds(left) and self.holds(right)):
            return True
        return _is_read(left) and not self._is_live(right)

    def _holds_call(self, call: cst.Call) -> bool:
        func, tree = call.func, self.script.tree
        function = self.script.names.local_function(func)
        if function is not None:
            returned = [each.value for each in tree.all(cst.Return) if tree.function(each) is function]
            return bool(returned) and all(value is not None and self.holds(value) for value in returned)
        if isinstance(func, cst.Attribute) and self.script.qualified(func) is None:
            return _is_read(call) or self.holds(func.value)
        return self.script.qualified(func) in _NUMBERS


def _is_read(node: cst.BaseExpression) -> bool:
    """`loss.item()`"""
    return isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value in READING
