"""Tests of a repository: pytest or unittest runs them, and they are no programs.

What they do to a network is no training that anybody keeps, so nothing of it is judged. A `test.py` that evaluates a
network is a program: it says what it runs under `if __name__ == "__main__":`, or in its module.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

_PLAIN = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign,
          ast.AugAssign, ast.Pass, ast.Assert, ast.Delete)  # fmt: skip


def is_collected(path: str, tree: ast.Module) -> bool:
    """Whether a file is named for a test runner, has tests, and runs nothing by itself but these."""
    name = path.rpartition("/")[2].removesuffix(".py")
    if name != "conftest" and not name.startswith("test_") and not name.endswith("_test"):
        return False
    own = {one.name for one in tree.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))}
    tests = any(map(_is_test, tree.body)) or name == "conftest"
    return tests and all(_is_quiet(one, own) for one in _statements(tree.body))


def _is_test(node: ast.stmt) -> bool:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.name.startswith("test")
    if not isinstance(node, ast.ClassDef):
        return False
    case = any(ast.unparse(base).endswith("TestCase") for base in node.bases)
    return case or (node.name.startswith("Test") and any(map(_is_test, node.body)))


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """What runs when the file is imported or run, that of conditions and of what is tried too."""
    for node in body:
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            for name in ("body", "orelse", "handlers", "finalbody"):
                for part in getattr(node, name, ()):
                    yield from _statements(part.body if isinstance(part, ast.ExceptHandler) else [part])
        else:
            yield node


def _is_quiet(node: ast.stmt, own: set[str]) -> bool:
    """Whether a statement defines something, or calls a test, a runner of tests, or what another library has."""
    if isinstance(node, _PLAIN):
        return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or not _calls(node, own)
    return isinstance(node, ast.Expr) and not _calls(node, own)


def _calls(node: ast.stmt, own: set[str]) -> bool:
    """Whether it calls a function of the file that is no test, or parses a command line."""
    for call in ast.walk(node):
        if isinstance(call, ast.Call):
            func = call.func
            if isinstance(func, ast.Name) and func.id in own and not func.id.startswith("test"):
                return True
            if isinstance(func, ast.Attribute) and func.attr in ("parse_args", "backward", "step"):
                return True
    return False
