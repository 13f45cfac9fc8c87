"""What a statement does that others can see: prints, logs, files, calls for their own sake. One process does it."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.guards import passes_one
from codemods.kit.roles import Role
from codemods.kit.script import Script
from codemods.kit.tree import walk
from codemods.kit.writers import acts_outside

_KEEPS = ("append", "extend", "insert", "pop", "appendleft", "popleft", "setdefault")
"""Methods of a collection: what a process remembers, every process has to."""
_ALIKE = (Role.MODEL, Role.OPTIMIZER, Role.SCHEDULER, Role.SCALER, Role.LOSS, Role.LOADER, Role.SAMPLER)
_TOGETHER = ("torch.distributed.", "horovod.torch.", "smdistributed.", "torch_xla.")
"""Calls that every process has to reach."""


def actions(script: Script, item: cst.CSTNode, saves: set[cst.CSTNode]) -> list[cst.BaseStatement]:
    """The statements of `item` for one process: all of it, or the acting ones inside where every process runs the rest,
    because it saves, returns, or leaves something behind. `saves` are the calls that every process is to reach."""
    if isinstance(item, cst.SimpleStatementLine):
        return [item] if any(_acts(script, small) for small in item.body) and not _holds(item, saves) else []
    if not isinstance(item, cst.If | cst.With | cst.For | cst.While | cst.Try):
        return []
    if isinstance(item, cst.If) and passes_one(script, item.test):
        return []
    inside = [found for block in _blocks(item) for line in block.body for found in actions(script, line, saves)]
    alone = not _holds(item, saves) and (_opens(script, item) or not _leaves(script, item))
    return [item] if inside and alone else inside


def _acts(script: Script, small: cst.BaseSmallStatement) -> bool:
    if isinstance(small, cst.Assign):
        return acts_outside(script, small.value)
    call = small.value if isinstance(small, cst.Expr) else None
    if not isinstance(call, cst.Call) or (script.qualified(call.func) or "").startswith(_TOGETHER):
        return False
    if isinstance(call.func, cst.Attribute):
        if call.func.attr.value in _KEEPS or _is_of_training(script, call.func):
            return False
    function = script.names.local_function(call.func)
    return function is None or not _is_guarded(script, function)


def _is_of_training(script: Script, method: cst.Attribute) -> bool:
    """`model.train()`, `optimizer.zero_grad()`, `copy.load_state_dict(...)`: of what every process has alike, unless it
    writes, as `model.save_pretrained(path)` does."""
    writes = method.attr.value.startswith(("save", "push", "print", "log"))
    return not writes and any(value.role in _ALIKE for value in script.roles.values(method.value))


def _is_guarded(script: Script, function: cst.FunctionDef) -> bool:
    """`def print_once(text):` whose whole body is for the first process."""
    body = function.body.body
    return len(body) == 1 and isinstance(body[0], cst.If) and passes_one(script, body[0].test)


def _holds(item: cst.CSTNode, nodes: set[cst.CSTNode]) -> bool:
    return any(node in nodes for node in walk(item))


def _blocks(item: cst.CSTNode) -> Iterator[cst.IndentedBlock]:
    """The bodies of a compound statement, with those of its `elif`, `else`, `except` and `finally`."""
    for child in item.children:
        if isinstance(child, cst.IndentedBlock):
            yield child
        elif isinstance(child, cst.If | cst.Else | cst.ExceptHandler | cst.Finally):
            yield from _blocks(child)


def _opens(script: Script, item: cst.CSTNode) -> bool:
    calls = [each.item for each in item.items] if isinstance(item, cst.With) else []
    return any(isinstance(call, cst.Call) and script.qualified(call.func) == "builtins.open" for call in calls)


def _leaves(script: Script, item: cst.CSTNode) -> bool:
    """Whether it leaves the function, changes what outlives it, or is reached by all: returns, attributes, names that
    are read elsewhere, collectives."""
    for node in walk(item):
        if isinstance(node, cst.Return | cst.Raise | cst.Del | cst.Yield | cst.Await):
            return True
        if isinstance(node, cst.Call) and (script.qualified(node.func) or "").startswith(_TOGETHER):
            return True
        if isinstance(node, cst.AssignTarget | cst.AnnAssign | cst.AugAssign):
            if not isinstance(node.target, cst.Name) or _is_read_outside(script, node.target, item):
                return True
    return False


def _is_read_outside(script: Script, name: cst.Name, item: cst.CSTNode) -> bool:
    function = script.tree.function(item)
    return any(
        use.value == name.value and script.tree.function(use) is function and not script.tree.contains(item, use)
        for use in script.tree.all(cst.Name)
    )
