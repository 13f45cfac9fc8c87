"""Lists of tensors that are parts of another one: what is written into them has to arrive there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

if TYPE_CHECKING:
    from codemods.kit.script import Script

_SPLITS = ("split", "chunk", "unbind", "tensor_split", "split_with_sizes", "unsafe_chunk", "unsafe_split")


def fills_views(script: Script, into: cst.BaseExpression) -> bool:
    """Whether tensors given as a list have to be filled as they are: parts of another tensor, `list(buffer.split(n))`,
    `[buffer[i] for i in range(n)]`, or a list made where it is given, which no name keeps."""
    if not isinstance(into, cst.Name | cst.Attribute):
        return not isinstance(into, cst.Subscript) or _is_views(script, into)
    values = [binding.value for binding in script.names.bindings(into) if binding.kind == "assign"]
    return any(value is not None and _is_views(script, value) and _is_read(script, value) for value in values)


def _is_read(script: Script, views: cst.BaseExpression) -> bool:
    """Whether the tensor that is split into a list is read besides: else the list is all that has to be filled."""
    bases = [call.func.value for call in script.tree.inside(views, cst.Call) if isinstance(call.func, cst.Attribute)]
    roots = [base for base in bases if isinstance(base, cst.Name) and script.qualified(base) is None]
    for root in roots:
        made = [binding.node for binding in script.names.bindings(root)]
        uses = [use for use in script.names.named(root.value) if script.names.bindings(use) and use is not root]
        if not any(script.tree.function(use) is script.tree.function(root)
                   and not any(script.tree.contains(node, use) for node in made) for use in uses):  # fmt: skip
            return False
    return True


def _is_views(script: Script, node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.ListComp | cst.GeneratorExp):
        return isinstance(node.elt, cst.Subscript) or _is_views(script, node.elt)
    if isinstance(node, cst.List | cst.Tuple):
        return any(isinstance(element.value, cst.Subscript) for element in node.elements)
    if not isinstance(node, cst.Call):
        return False
    name = script.qualified(node.func) or ""
    if name in ("builtins.list", "builtins.tuple") and node.args:
        return _is_views(script, node.args[0].value)
    last = node.func.attr.value if isinstance(node.func, cst.Attribute) else name.rpartition(".")[2]
    return last in _SPLITS and (not name or name.startswith("torch."))
