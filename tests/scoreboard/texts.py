"""The texts of a project as `ast` sees them, and what its imports mean."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from migrate.files import read_text
from migrate.modules import Paths


def parsed(source: str) -> ast.Module | None:
    """The tree of a text, or None when it is no Python of today."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source.removeprefix("\ufeff"))
        except (SyntaxError, ValueError, RecursionError):
            return None


def sources(path: Path) -> dict[str, str | None]:
    """The texts of a project, or of a single script, by path; None for what cannot be read."""
    files = [path] if path.is_file() else sorted(path.rglob("*.py"))
    root = path.parent if path.is_file() else path
    return {file.relative_to(root).as_posix(): read_text(file) for file in files if file.is_file()}


def commit_of(path: Path) -> str:
    """The commit a folder was taken from, when a file `.commit` in it or beside it says so."""
    for file in (path / ".commit", path.with_name(f"{path.name}.commit")):
        if file.is_file():
            return file.read_text(encoding="utf-8").split()[0][:12]
    return ""


def lost_imports(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[int, list[str]]:
    """How many imports from files of the project resolve in the migrated texts, and those that resolve no more."""
    resolved, lost = 0, []
    paths, tops = Paths(list(after)), {}
    for texts in (before, after):
        tops[id(texts)] = {file: _top_names(text) for file, text in texts.items()}
    for file, text in after.items():
        was = set(_imports(before[file], file, paths, tops[id(before)]))
        now = set(_imports(text, file, paths, tops[id(after)]))
        resolved += sum(good for _, good in now)
        good_before = {name for name, good in was if good}
        lost += [f"{file}: {name}" for name, good in sorted(now) if not good and name in good_before]
    return resolved, lost


def _imports(text: str, file: str, paths: Paths, tops: Mapping[str, set[str]]) -> Iterator[tuple[str, bool]]:
    """(name as imported, whether the project has it) for each import that means a file of the project."""
    for node in ast.walk(parsed(text) or ast.Module([], [])):
        if isinstance(node, ast.ImportFrom):
            module = "." * node.level + (node.module or "")
            for alias in node.names:
                found = paths.locate(file, module) if module.strip(".") or node.level else None
                if found is None or found[1]:
                    continue
                inner = paths.locate(
                    file, f"{module.rstrip('.')}.{alias.name}" if module.strip(".") else module + alias.name
                )
                names = tops.get(found[0], set())
                good = alias.name == "*" or alias.name in names or "*" in names or (inner is not None and not inner[1])
                yield f"{module}.{alias.name}", good
        elif isinstance(node, ast.Import):
            for alias in node.names:
                found = paths.locate(file, alias.name)
                if found is not None:
                    yield alias.name, not found[1]


def _top_names(text: str) -> set[str]:
    """What a module binds at its top level, also under `if` and `try`; "*" when it imports everything from another."""
    found: set[str] = set()
    queue: list[ast.AST] = list((parsed(text) or ast.Module([], [])).body)
    while queue:
        node = queue.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
            continue
        if isinstance(node, ast.Import | ast.ImportFrom):
            found |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        queue += ast.iter_child_nodes(node)
    return found
