"""The files that a smoke run migrates: the script, and the user's own modules that it imports.

Imports are read from the text, not followed at run time, so a module that is imported by a name made up at run time is
not found: it runs as it is.
"""

from __future__ import annotations

import ast
import os
import tokenize
import warnings
from collections.abc import Iterator
from pathlib import Path

from migrate.migration import MigrateError

LARGEST_PROJECT = 500
"""Files after which no more are looked for."""


def read_script(script: Path) -> str:
    """The text of a script, in the encoding it declares. Raises MigrateError."""
    try:
        with tokenize.open(script) as file:
            return file.read()
    except (OSError, SyntaxError, UnicodeDecodeError) as error:
        raise MigrateError(f"{script}: {getattr(error, 'strerror', None) or error}") from error


def find_modules(script: Path, root: Path | None) -> list[Path]:
    """The files in `root`, by default the script's folder, that a script imports, and those that these import, sorted.

    Without the script itself; absolute paths.
    """
    script = Path(os.path.abspath(script))
    top = script.parent if root is None else Path(os.path.abspath(root))
    found, waiting = {script}, [script]
    while waiting and len(found) < LARGEST_PROJECT:
        file = waiting.pop()
        for module in imported_files(file, (script.parent, top)):
            if module not in found and module.is_relative_to(top):
                found.add(module)
                waiting.append(module)
    return sorted(found - {script})


def imported_files(file: Path, folders: tuple[Path, ...]) -> Iterator[Path]:
    """What one file imports of what is in these folders; nothing of one that does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(read_script(file))
    except (MigrateError, SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from files_of(alias.name.split("."), folders)
        elif isinstance(node, ast.ImportFrom):
            places = (file.parents[node.level - 1],) if 0 < node.level <= len(file.parents) else folders
            parts = node.module.split(".") if node.module else []
            for alias in node.names:
                yield from files_of([*parts, alias.name], places)


def files_of(parts: list[str], folders: tuple[Path, ...]) -> Iterator[Path]:
    """The files that importing a dotted name runs: each package on the way, and the module."""
    for folder in folders:
        for count in range(1, len(parts) + 1):
            place = folder.joinpath(*parts[:count])
            yield from (path for path in (place / "__init__.py", place.with_name(f"{place.name}.py")) if path.is_file())
