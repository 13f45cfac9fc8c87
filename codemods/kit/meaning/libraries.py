"""Which modules are a library's: those with a model, ours or the user's, Python's own, and those of plain values.

Who only asks this needs nothing of the engine.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from importlib.abc import Traversable

MODELS: Traversable = files("codemods") / "kit" / "models"
_files: dict[tuple[str, str], Traversable | None] = {}


class OwnModels(NamedTuple):
    """Models of the user's: Python files laid out as the modules they stand for."""

    folder: Traversable
    state: str
    """A digest of all that is in it."""


_own: list[OwnModels] = []


def use_models(own: OwnModels | None) -> None:
    """Have the user's models come before ours, or have none of theirs."""
    given = [] if own is None else [own]
    if given != _own:
        _own[:] = given
        _files.clear()
        is_library.cache_clear()


def own_models() -> OwnModels | None:
    """The user's models."""
    return _own[0] if _own else None


def roots() -> tuple[Traversable, ...]:
    """The folders of models, in the order in which they are asked."""
    return (*(own.folder for own in _own), MODELS)


def models_state() -> str:
    """A digest of the user's models: what rests on other models has another; empty without."""
    return _own[0].state if _own else ""


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
