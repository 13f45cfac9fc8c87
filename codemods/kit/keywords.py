"""Arguments that a function takes out of its `**kwargs`: `kwargs["model"]`, `kwargs.pop("model", None)`."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.names import Names
from codemods.kit.options import text
from codemods.kit.tree import Tree

_TAKES = ("get", "pop")


def taken(tree: Tree, names: Names, node: cst.BaseExpression) -> tuple[cst.FunctionDef, str] | None:
    """The function and the keyword of an argument that an expression takes out of the function's `**kwargs`; None for
    any other expression."""
    if isinstance(node, cst.Subscript) and len(node.slice) == 1 and isinstance(node.slice[0].slice, cst.Index):
        holder, key = node.value, node.slice[0].slice.value
    elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.args:
        holder, key = node.func.value, node.args[0].value
        if node.func.attr.value not in _TAKES or node.args[0].keyword is not None or node.args[0].star:
            return None
    else:
        return None
    if not isinstance(holder, cst.Name) or not isinstance(key, cst.SimpleString):
        return None
    bindings = names.bindings(holder)
    parameter = bindings[0].node if len(bindings) == 1 else None
    function = tree.enclosing(parameter, cst.FunctionDef) if isinstance(parameter, cst.Param) else None
    if isinstance(function, cst.FunctionDef) and function.params.star_kwarg is parameter and text(key):
        return function, text(key)
    return None


def keywords_taken(tree: Tree, names: Names, function: cst.FunctionDef) -> Iterator[str]:
    """The keywords of the arguments that a function takes out of its `**kwargs`."""
    more = function.params.star_kwarg
    for name in names.named(more.name.value) if more is not None else ():
        holder = tree.parent.get(name)
        whole = tree.parent.get(holder) if isinstance(holder, cst.Attribute) else holder
        found = taken(tree, names, whole) if isinstance(whole, cst.Subscript | cst.Call) else None
        if found is not None and found[0] is function:
            yield found[1]
