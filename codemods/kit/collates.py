"""Collate functions that pad a batch to its own longest sample."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.build import code_of

if TYPE_CHECKING:
    from codemods.kit.script import Script

_PADS = ("torch.nn.utils.rnn.pad_sequence",)
_LENGTHS = ("len(", ".size(", ".shape[")


def padded(script: Script) -> Iterator[cst.Call]:
    """The calls by which the collate functions of a script pad to the longest sample of a batch: `pad_sequence(...)`,
    or `max(len(x) for x in batch)`."""
    functions = _functions(script)
    for call in script.tree.all(cst.Call) if functions else ():
        if script.tree.function(call) in functions:
            name, code = script.qualified(call.func), code_of(call)
            if name in _PADS or (name == "builtins.max" and any(word in code for word in _LENGTHS)):
                yield call


def _functions(script: Script) -> set[cst.FunctionDef]:
    """The functions that loaders collate with, or that are called so where another file makes the loader."""
    names, tree = script.names, script.tree
    found: set[cst.FunctionDef | None] = set()
    for function in tree.all(cst.FunctionDef):
        class_ = tree.class_of(function) if function.name.value == "__call__" else None
        if "collat" in (class_.name.value if class_ is not None else function.name.value).lower():
            found.add(function)
    for loader in script.loaders.built:
        collate = loader.value("collate_fn")
        if collate is None:
            continue
        class_ = names.local_class(collate.func if isinstance(collate, cst.Call) else collate)
        classes = [v.origin for v in script.roles.values(collate) if isinstance(v.origin, cst.ClassDef)]
        found |= {names.method(each, "__call__") for each in (*classes, *([class_] if class_ else []))}
        found.add(names.local_function(collate))
    return {function for function in found if function is not None}
