"""On which lines statements begin. `ast` knows it; LibCST would have to write the whole script to find out."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def statement_lines(module: ast.Module) -> list[tuple[int, bool]]:
    """For each statement, parents first: its 1-based line, and whether its head ends on that line.

    This is all that is kept of what `ast` made of a script: its tree would take as much memory as the text ten times.
    """
    return [(statement.lineno, _head_end(statement) == statement.lineno) for statement in _statements(module)]


def _head_end(statement: ast.stmt) -> int | None:
    """The last line of a simple statement or of what is before the colon; None where `ast` does not say."""
    match statement:
        case ast.If(test=head) | ast.While(test=head) | ast.For(iter=head):
            return head.end_lineno
        case ast.With(items=[*_, item]):
            return (item.optional_vars or item.context_expr).end_lineno
    return None if hasattr(statement, "body") else statement.end_lineno


def _statements(module: ast.Module) -> Iterator[ast.stmt]:
    stack: list[ast.AST] = list(reversed(module.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt):
            yield node
        below: list[ast.AST] = []
        for name in ("body", "handlers", "cases", "orelse", "finalbody"):
            value = getattr(node, name, None)
            if isinstance(value, list):
                below.extend(value)
        stack.extend(reversed(below))
