"""Types of tensors that a program keeps: `Tensor = torch.cuda.FloatTensor if args.cuda else torch.FloatTensor`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.roles import Role

if TYPE_CHECKING:
    from codemods.kit.script import Script

ON_CUDA = "torch.cuda."
_CHOSEN = (cst.IfExp, cst.BooleanOperation, cst.Tuple, cst.List, cst.Dict, cst.Element, cst.DictElement)


def tensor_types(script: Script, node: cst.BaseExpression, depth: int = 0) -> frozenset[str]:
    """The types of tensors, `torch.cuda.FloatTensor`, that an expression can be; empty unless it is nothing else."""
    executed = [value for value in script.roles.values(node) if value.role is Role.TENSOR_TYPE]
    if executed:
        return frozenset(value.of for value in executed)
    name = script.qualified(node) or ""
    if name.startswith("torch.") and name.endswith("Tensor"):
        return frozenset((name,))
    ways: list[cst.BaseExpression | None] = []
    if isinstance(node, cst.IfExp):
        ways = [node.body, node.orelse]
    elif isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.Or):
        first = node.left
        ways = [first.right if isinstance(first, cst.BooleanOperation) else first, node.right]
    elif isinstance(node, cst.Name | cst.Attribute) and depth < 3:
        bindings = script.names.bindings(node)
        ways = [None if one.path or one.kind != "assign" else one.value for one in bindings]
    found = [tensor_types(script, way, depth + 1) if way is not None else frozenset() for way in ways]
    return frozenset[str]().union(*found) if all(found) else frozenset()


def is_kept(script: Script, node: cst.BaseExpression) -> bool:
    """Whether a type is handed on from here as a value of the program's own: bound, returned, passed to a function of
    the file, called or given to `.type()` where a condition chose it."""
    tree = script.tree
    inner: cst.CSTNode = node
    outer = tree.parent[node]
    while isinstance(outer, _CHOSEN):
        if isinstance(outer, cst.IfExp) and outer.test is inner:
            return False
        inner, outer = outer, tree.parent[outer]
    if isinstance(outer, cst.Arg):
        call = tree.parent[outer]
        if not isinstance(call, cst.Call):
            return False
        method = isinstance(call.func, cst.Attribute) and call.func.attr.value == "type"
        known = script.names.local_function(call.func) or script.names.local_class(call.func)
        return known is not None or (method and inner is not node)
    if isinstance(outer, cst.Assign | cst.AnnAssign):
        return not script.names.scope(outer).is_class  # a function there would be a method
    if isinstance(outer, cst.Param):
        return outer.default is inner
    return isinstance(outer, cst.Return | cst.NamedExpr) or (isinstance(outer, cst.Call) and inner is not node)


def is_attribute(script: Script, node: cst.CSTNode) -> bool:
    """Whether a type becomes an attribute of an object: `self.Tensor = torch.cuda.FloatTensor`."""
    statement = script.tree.small_statement(node)
    if isinstance(statement, cst.AnnAssign):
        return isinstance(statement.target, cst.Attribute)
    return isinstance(statement, cst.Assign) and any(isinstance(one.target, cst.Attribute) for one in statement.targets)


def is_plain_alias(script: Script, node: cst.BaseExpression) -> bool:
    """Whether a name is bound to this and nothing else, and only this file knows it: its uses resolve to the type."""
    assign = script.tree.parent[node]
    if not isinstance(assign, cst.Assign) or len(assign.targets) != 1:
        return False
    name = assign.targets[0].target
    if not isinstance(name, cst.Name) or script.qualified(name) is None:
        return False
    return name.value not in script.links.wanted or script.names.scope(name) is not script.names.module


def on_cuda(script: Script, test: cst.BaseExpression, depth: int = 0) -> bool:
    """Whether a condition asks nothing but whether CUDA is there: it is."""
    if isinstance(test, cst.IfExp) and _named(test.body, "True") and _named(test.orelse, "False"):
        return on_cuda(script, test.test, depth)
    if isinstance(test, cst.Call):
        return script.qualified(test.func) == "torch.cuda.is_available"
    value = script.names.assigned(test) if depth < 3 else None
    return value is not None and on_cuda(script, value, depth + 1)


def factory_of(script: Script, call: cst.Call) -> str:
    """`empty` for sizes (integers, `x.size(0)`, `*shape`), `tensor` for values; empty when it cannot be told."""
    if len(call.args) != 1 or call.args[0].star:
        return "empty"
    value = call.args[0].value
    bound = [binding.value for binding in script.names.bindings(value) if not binding.path]
    made = {_content(script, each) for each in (bound or [value]) if each is not None}
    return made.pop() if len(made) == 1 else ""


def _content(script: Script, value: cst.BaseExpression) -> str:
    if isinstance(value, cst.Integer):
        return "empty"
    if isinstance(value, cst.List | cst.Tuple | cst.ListComp):
        return "tensor"
    if isinstance(value, cst.Call):
        name = script.qualified(value.func) or ""
        if name.startswith("numpy.") or name in ("builtins.list", "builtins.tuple"):
            return "tensor"
        last = value.func.attr.value if isinstance(value.func, cst.Attribute) else ""
        if last in ("size", "numel", "dim") or name in ("builtins.len", "builtins.int", "torch.Size"):
            return "empty"
    return ""


def _named(node: cst.BaseExpression, name: str) -> bool:
    return isinstance(node, cst.Name) and node.value == name
