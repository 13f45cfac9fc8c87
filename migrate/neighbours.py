"""The files of a project that a script imports, directly or not, found on disk.

A script that is given by itself is read with what it imports: a loader made in `data.py`, a scaler class in `utils.py`.
Only files below the script's project are followed (up to the folder that holds `.git` or a pyproject.toml, or else the
script's own), and only those that Python would find from there: beside the script, above it, or under `src`.
"""

from __future__ import annotations

import ast
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

MOST_FILES = 300
"""Files followed: more are a library that lives in the project."""
_ROOT_MARKS = (".git", "pyproject.toml", "setup.py", "setup.cfg")


@dataclass(frozen=True)
class Neighbours:
    """A script and what it imports."""

    root: Path
    texts: dict[str, str]
    """By path relative to the root; the script first."""


def find_neighbours(script: Path, read: Callable[[Path], str | None]) -> Neighbours:
    """The project files that `script` imports, with their texts, which `read` gives, or None for a file to pass over."""
    script = script.resolve()
    root = project_root(script)
    texts: dict[str, str] = {}
    queue = deque([script])
    seen = {script}
    while queue and len(texts) < MOST_FILES:
        file = queue.popleft()
        text = read(file)
        if text is None:
            continue
        texts[file.relative_to(root).as_posix()] = text
        for found in _imported(file, text, root):
            if found not in seen:
                seen.add(found)
                queue.append(found)
    return Neighbours(root, texts)


def project_root(script: Path) -> Path:
    """The nearest folder at or above the script's that looks like the top of a project; else the script's own."""
    for folder in script.parents:
        if any((folder / mark).exists() for mark in _ROOT_MARKS):
            return folder
        if folder == Path.home():
            break
    return script.parent


def _imported(file: Path, text: str, root: Path) -> Iterator[Path]:
    """The files that the imports of one file run, packages' `__init__.py` among them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _modules(_search(file, root), alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            module = node.module.split(".") if node.module else []
            folders = _search(file, root)
            if node.level:
                folders = list(file.parents)[node.level - 1 : node.level]
                yield from (folder / "__init__.py" for folder in folders if (folder / "__init__.py").is_file())
            for alias in node.names:
                yield from _modules(folders, [*module, alias.name])


def _search(file: Path, root: Path) -> list[Path]:
    """The folders an absolute import may start from: the file's own, those above it in the project, their `src`."""
    above = [folder for folder in file.parents if folder == root or folder.is_relative_to(root)]
    return [*above, *(folder / "src" for folder in above)]


def _modules(folders: list[Path], parts: list[str]) -> Iterator[Path]:
    """The files that importing a dotted name runs: its packages, and the module it ends in or comes from."""
    for folder in folders:
        found = list(_walk(folder, parts))
        if found:
            yield from found
            return


def _walk(folder: Path, parts: list[str]) -> Iterator[Path]:
    for part in parts:
        folder = folder / part
        if folder.with_suffix(".py").is_file():
            yield folder.with_suffix(".py")
            return
        if (folder / "__init__.py").is_file():
            yield folder / "__init__.py"
        elif not folder.is_dir():
            return
