"""How an expression of a file is named so that every parse of the text finds it again: by the number of its statement
and by how it is spelled in it."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from codemods.kit.meaning.names import parts_of
from codemods.kit.meaning.shown import Key, Low
from codemods.kit.meaning.spelling import spelling

T = TypeVar("T")
_BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")


def statements_of(tree: ast.Module) -> Iterator[ast.stmt]:
    """As `codemods.kit.statement_lines` numbers them."""
    stack: list[ast.AST] = list(reversed(tree.body))
    while stack:
        node = stack.pop()
        if isinstance(node, ast.stmt):
            yield node
        for name in reversed(_BLOCKS):
            below = getattr(node, name, None)
            if isinstance(below, list):
                stack.extend(reversed(below))


def at(statements: Sequence[ast.stmt], line: int) -> int:
    """The number of the innermost statement that a line is of."""
    return max(at for at, one in enumerate(statements) if one.lineno <= line <= (one.end_lineno or 0))


def keyed(numbers: Mapping[ast.AST, int], wanted: Mapping[ast.AST, T]) -> dict[Key, T]:
    return {(numbers[node], spelling(node)): one for node, one in wanted.items() if node in numbers}


def placed(numbers: Mapping[ast.AST, int], wanted: Mapping[ast.AST, bool]) -> Iterator[tuple[Low, bool]]:
    seen: Counter[Key] = Counter()
    calls = (node for node in (numbers if wanted else ()) if isinstance(node, ast.Call))
    for node in sorted(calls, key=lambda call: (call.lineno, call.col_offset)):
        key = numbers[node], spelling(node)
        if node in wanted:
            yield (*key, seen[key]), wanted[node]
        seen[key] += 1


def own_expressions(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement, without those of statements in it."""
    stack: list[ast.AST] = [statement]
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind in _SPELLED:
            yield node
        if kind is ast.Name or kind is ast.Constant:
            continue
        left = (*_STATEMENT, ast.Constant) if kind is ast.Compare else _STATEMENT
        # A text that a device is compared with makes none.
        stack += [below for below in parts_of(node) if not isinstance(below, left)]


_SPELLED = frozenset({ast.Name, ast.Attribute, ast.Subscript, ast.Call, ast.Constant})
_STATEMENT = (ast.stmt, ast.excepthandler, ast.match_case)
