"""Which modules are a library's: those with a model, Python's own, and those whose values are plain.

Who only asks this needs nothing of the engine.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import Traversable

MODELS: Traversable = files("codemods") / "kit" / "models"
_files: dict[tuple[str, str], Traversable | None] = {}


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
    return name in plain_names() or model_file(MODELS, name) is not None
