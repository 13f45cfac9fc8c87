"""Where a name is bound, and under which conditions: what a migration leaves as it was is the author's own affair."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Binding = tuple[bool, tuple[str, ...]]
"""Whether a name is bound or asked for, and the conditions around it, outermost first."""
_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def bound_alike(before: ast.Module, after: ast.Module, line: int, name: str) -> bool:
    """Whether the function around a line of the migrated file binds a name under the conditions of the original's."""
    path = _path_to(after, line)
    then, now = _at(before, path), _at(after, path)
    if then is None or now is None:
        return False
    bindings = list(_bindings(now, name, ()))
    return any(bound for bound, _ in bindings) and bindings == list(_bindings(then, name, ()))


def _path_to(tree: ast.Module, line: int) -> tuple[str, ...]:
    """The names of the classes and functions around a line, outermost first."""
    found = [one for one in ast.walk(tree) if isinstance(one, _SCOPES) and one.lineno <= line <= (one.end_lineno or 0)]
    return tuple(one.name for one in sorted(found, key=lambda one: one.lineno))


def _at(tree: ast.AST, path: tuple[str, ...]) -> ast.AST | None:
    """What is defined under that path; None if nothing is, or several things are."""
    for name in path:
        inside = [one for one in ast.walk(tree) if isinstance(one, _SCOPES) and one.name == name and one is not tree]
        if len(inside) != 1:
            return None
        tree = inside[0]
    return tree


def _bindings(node: ast.AST, name: str, around: tuple[str, ...]) -> Iterator[Binding]:
    """Where a scope binds a name and asks for it, in order."""
    for field, value in ast.iter_fields(node):
        for one in value if isinstance(value, list) else (value,):
            if isinstance(one, ast.Name) and one.id == name:
                yield isinstance(one.ctx, ast.Store), around
            elif isinstance(one, ast.AST) and not isinstance(one, _SCOPES):
                inner = (*around, f"{field} of {_head(node)}") if field in _BLOCKS and _head(node) else around
                yield from _bindings(one, name, inner)


def _head(node: ast.AST) -> str:
    """What decides whether, or how often, the blocks of a statement run."""
    heads = (getattr(node, field, None) for field in ("test", "iter", "subject", "type"))
    words = next((ast.unparse(one) for one in heads if isinstance(one, ast.AST)), "")
    return f"{type(node).__name__} {words}" if isinstance(node, ast.stmt | ast.ExceptHandler) else ""
