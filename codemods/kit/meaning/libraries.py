"""Which modules are a library's: those with a model, ours or the user's, Python's own, and those of plain values.

Who only asks this needs nothing of the engine.
"""

from __future__ import annotations

import ast
import sys
from functools import cache
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import Traversable

MODELS: Traversable = files("codemods") / "kit" / "models"
_files: dict[tuple[str, str], Traversable | None] = {}
_own: list[Path] = []
_state: list[str] = [""]


def use_models(folder: Path | None) -> None:
    """Have a folder of the user's, of Python files laid out as the modules they stand for, come before our models.

    Raises:
        ValueError: it is no folder, or one of its files cannot be read or is not Python.
    """
    state = "" if folder is None else _read(folder)
    if state != _state[0] or (folder is not None and _own != [folder]):
        _own[:] = [] if folder is None else [folder]
        _state[0] = state
        _files.clear()
        is_library.cache_clear()


def _read(folder: Path) -> str:
    """A digest of all that is in a folder of models."""
    if not folder.is_dir():
        raise ValueError(f"{folder}: no folder of models")
    found = blake2b(digest_size=16)
    for path in sorted(folder.rglob("*.py")):
        try:
            data = path.read_bytes()
            ast.parse(data, str(path))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise ValueError(f"{path}: {error}") from error
        found.update(b"%s\0%d\0%s" % (str(path).encode("utf-8", "surrogateescape"), len(data), data))
    return found.hexdigest()


def roots() -> tuple[Traversable, ...]:
    """The folders of models, in the order in which they are asked."""
    return (*_own, MODELS)


def models_folder() -> Path | None:
    """The user's folder of models."""
    return _own[0] if _own else None


def models_state() -> str:
    """A digest of the user's models: what rests on other models has another; empty without."""
    return _state[0]


def model_file(root: Traversable, name: str) -> Traversable | None:
    """The file below a folder of models that answers for a module."""
    key = (str(root), name)
    if key not in _files:
        *folders, last = name.split(".")
        for one in folders:
            root = root / one
        candidates = (root / f"{last}.py", root / last / "__init__.py")
        _files[key] = next((found for found in candidates if found.is_file()), None)
    return _files[key]


@cache
def plain_names() -> frozenset[str]:
    """Modules that neither run nor keep what trains: Python's own, and those listed in `models/plain.txt`."""
    listed = (MODELS / "plain.txt").read_text(encoding="utf-8").split()
    return frozenset(listed) | sys.stdlib_module_names


@cache
def is_library(name: str) -> bool:
    """Whether a module of that name is one of Python's own, or of a library that is known."""
    return name in plain_names() or any(model_file(root, name) is not None for root in roots())
