"""Tensors without dimensions: losses and what is made of them. `loss.data[0]` is how torch before 0.4 read one."""

from __future__ import annotations

import libcst as cst

from codemods.kit.roles import Role, Roles

_REDUCES = frozenset(("mean", "sum", "norm", "max", "min", "prod", "std", "var"))


def first_of_data(roles: Roles, node: cst.CSTNode) -> cst.BaseExpression | None:
    """The tensor without dimensions whose only number `tensor.data[0]` once gave."""
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
        return None
    index, data = node.slice[0].slice, node.value
    if not isinstance(index, cst.Index) or not isinstance(index.value, cst.Integer) or index.value.value != "0":
        return None
    if not isinstance(data, cst.Attribute) or data.attr.value != "data":
        return None
    return data.value if is_scalar(roles, data.value) else None


def is_scalar(roles: Roles, node: cst.BaseExpression, depth: int = 0) -> bool:
    """Whether an expression is a tensor without dimensions, as far as the script shows."""
    if depth > 4:
        return False
    if roles.is_a(node, Role.LOSS):
        return True
    if isinstance(node, cst.BinaryOperation):
        sides = (node.left, node.right)
        made = [is_scalar(roles, side, depth + 1) for side in sides]
        return any(made) and all(
            scalar or not isinstance(side, cst.Subscript | cst.List) for scalar, side in zip(made, sides, strict=True)
        )
    if isinstance(node, cst.Call) and (function := roles.names.local_function(node.func)) is not None:
        returned = [r.value for r in roles.tree.all(cst.Return) if roles.tree.function(r) is function]
        return bool(returned) and all(value is not None and is_scalar(roles, value, depth + 1) for value in returned)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and not node.args:
        return node.func.attr.value in _REDUCES and roles.names.qualified(node.func) is None
    if isinstance(node, cst.Name | cst.Attribute):
        if _goes_backward(roles, node):
            return True
        values = [b.value for b in roles.names.bindings(node) if b.kind == "assign" and not b.path]
        every = len(values) == len(roles.names.bindings(node))
        return bool(values) and every and all(v is not None and is_scalar(roles, v, depth + 1) for v in values)
    return False


def _goes_backward(roles: Roles, node: cst.Name | cst.Attribute) -> bool:
    """Whether `node.backward()` is called somewhere: without a gradient that is for tensors of one number only."""
    bindings = roles.names.bindings(node)
    return bool(bindings) and any(
        isinstance(call.func, cst.Attribute)
        and call.func.attr.value == "backward"
        and not call.args
        and roles.names.bindings(call.func.value) == bindings
        for call in roles.tree.all(cst.Call)
    )
