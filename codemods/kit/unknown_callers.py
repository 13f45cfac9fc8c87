"""Calls that may run a method, by its name: nothing shows what the object is that they call it of."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.flows import is_library
from codemods.kit.guards import names_one
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.script import Script

_FOLLOWED = 3
"""Callers that are looked at, one above the other."""


def reached_by_one(script: Script, methods: Set[str], known: Set[cst.Call]) -> Iterator[cst.Call]:
    """The calls by which the rank decides who comes to one of these methods, as far as names tell: `model.save(step)`
    below `if rank == 0:`. `known`: calls whose functions are known."""
    for call in script.tree.all(cst.Call) if methods else ():
        func = call.func
        if not isinstance(func, cst.Attribute) or func.attr.value not in methods or call in known:
            continue
        if script.qualified(func) is None and not _is_of_library(script, func.value) and _is_guarded(script, call):
            yield call


def _is_of_library(script: Script, node: cst.BaseExpression) -> bool:
    """Whether a library made an object: `image = Image.open(path)`."""
    if isinstance(node, cst.Call):
        return is_library(script.qualified(node.func) or "")
    bindings = script.names.bindings(node) if isinstance(node, cst.Name | cst.Attribute) else []
    return any(isinstance(one.value, cst.Call) and _is_of_library(script, one.value) for one in bindings)


def _leaves(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Return | cst.Continue)


def _is_guarded(script: Script, call: cst.Call, depth: int = 0) -> bool:
    """Whether the rank is asked around a call, or around those of its function."""
    tree, function = script.tree, script.tree.function(call)
    holders = [one for one in (call, *tree.ancestors(call)) if tree.function(one) is function]
    tests = [one.test for one in holders if isinstance(one, cst.If) and not tree.contains(one.test, call)]
    above = (item for one in holders for item in tree.block(one) if tree.before(item, one))
    tests += [item.test for item in above if isinstance(item, cst.If) and any(map(_leaves, walk(item.body)))]
    if any(names_one(script, test) for test in tests):
        return True
    if function is None or depth == _FOLLOWED:
        return False
    return any(_is_guarded(script, site, depth + 1) for site in script.roles.call_sites(function))
