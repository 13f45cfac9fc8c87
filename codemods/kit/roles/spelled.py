"""How an expression is spelled, so that what its execution showed is found again."""

from __future__ import annotations

import libcst as cst

SPELLED = frozenset((cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.SimpleString))


def spelling(node: cst.CSTNode) -> str:
    """As `codemods.kit.meaning.spelling` spells the same expression."""
    match node:
        case cst.Name():
            return node.value
        case cst.SimpleString():
            return repr(node.evaluated_value)
        case cst.Attribute():
            return f"{spelling(node.value)}.{node.attr.value}"
        case cst.Call():
            return f"{spelling(node.func)}()"
        case cst.Subscript(slice=[cst.SubscriptElement(slice=cst.Index(value=index))]):
            if isinstance(index, cst.SimpleString | cst.Integer):
                return f"{spelling(node.value)}[{index.evaluated_value!r}]"
            return f"{spelling(node.value)}[{index.value if isinstance(index, cst.Name) else ''}]"
        case cst.Subscript():
            return f"{spelling(node.value)}[]"
    return "?"
