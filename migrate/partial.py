"""Whether a part of a migration still stands: a person may take some of its hunks and leave others."""

from __future__ import annotations

import ast
import warnings


def find_trouble(source: str, migrated: str, partial: str) -> str:
    """What is wrong with `partial`, some of the hunks from `source` to `migrated`; empty when nothing is seen.

    It must parse, and every name that `source` or `migrated` binds and `partial` uses must still be bound: an edit
    taken without its import would fail only when the script runs.
    """
    try:
        used, bound = _names(partial)
    except SyntaxError as error:
        return f"do not compile without the others: {error.msg}, line {error.lineno}"
    used_before, bound_before = _names_or_none(source)
    # What the source uses without binding it comes from elsewhere: a star import, the builtins.
    known = (bound_before | _names_or_none(migrated)[1]) - (used_before - bound_before)
    missing = sorted((known & used) - bound)
    return f"use what the others define: {', '.join(missing)}" if missing else ""


def _names_or_none(text: str) -> tuple[set[str], set[str]]:
    try:
        return _names(text)
    except SyntaxError:
        # A Python 2 script, which is brought up to date by the same diff.
        return set(), set()


def _names(text: str) -> tuple[set[str], set[str]]:
    """The names a script reads, and those it binds anywhere. Raises SyntaxError."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
        # What only the compiler refuses: a `return` outside a function, a `break` outside a loop.
        compile(text, "<partial>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)  # as notebooks may
    used: set[str] = set()
    bound: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            (used if isinstance(node.ctx, ast.Load) else bound).add(node.id)
        elif isinstance(node, ast.alias):
            bound.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
    return used, bound
