"""How expressions are spelled, so that one can be found again in another parse of the same text."""

from __future__ import annotations

import ast


def spelling(node: ast.AST) -> str:
    """How an expression is spelled, as far as parts need it: `nets[0].opt`, `make(...)`."""
    if isinstance(node, ast.Constant):
        return repr(node.value)
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{spelling(node.value)}.{node.attr}"
    if isinstance(node, ast.Call):
        return f"{spelling(node.func)}()"
    if isinstance(node, ast.Subscript):
        index = node.slice
        return f"{spelling(node.value)}[{spelling(index) if isinstance(index, (ast.Constant, ast.Name)) else ''}]"
    return "?"
