"""Where a checkpoint is loaded to, as `map_location` says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

if TYPE_CHECKING:
    from codemods.kit.script import Script


def is_on_host(script: Script, node: cst.BaseExpression) -> bool:
    """Whether a location is on the CPU already: a string, a device, the identity lambda, or a name for one."""
    return _is_on_host(script, node, set())


def _is_on_host(script: Script, node: cst.BaseExpression, seen: set[cst.CSTNode]) -> bool:
    """`seen` are those being followed: `where = where` says nothing."""
    if node in seen:
        return False
    seen.add(node)
    if isinstance(node, cst.SimpleString):
        return node.raw_value == "cpu"
    if isinstance(node, cst.Call) and script.qualified(node.func) == "torch.device" and node.args:
        return _is_on_host(script, node.args[0].value, seen)
    if isinstance(node, cst.Lambda):
        return isinstance(node.body, cst.Name) and node.body.value == node.params.params[0].name.value
    bindings = script.names.bindings(node) if isinstance(node, cst.Name | cst.Attribute) else []
    values = [binding.value for binding in bindings]
    return bool(values) and all(value is not None and _is_on_host(script, value, seen) for value in values)
