"""What a function that spawns its workers does with the number of GPUs it has counted, beside spawning.

`h.batch_size = int(h.batch_size / h.num_gpus)` ahead of the spawn can be done by each worker, which is given `h`;
`if h.num_gpus > 1: spawn(...)`, `else: train(0, h)` is no choice any more: torch_xla launches on one device too.
"""

from __future__ import annotations

from collections.abc import Container

import libcst as cst

from codemods.kit.names import dotted
from codemods.kit.ranks import spawn_arguments
from codemods.kit.script import Script
from codemods.kit.tree import walk


def read_dependents(
    script: Script, chain: str, spawns: list[cst.Call], gone: Container[cst.CSTNode]
) -> tuple[list[cst.SimpleStatementLine] | None, set[cst.If]]:
    """The statements that depend on a count and can move into the worker, in order, and the choices to spawn that it
    decides. None when there is another use of it. `gone` are nodes that go away."""
    tree, moved, choices = script.tree, dict[cst.SimpleStatementLine, None](), set[cst.If]()
    asked = [read.node for read in script.ranks.reads]  # of the environment: no count of this host's GPUs
    counted = [binding.node for binding in script.names.dotted[chain]
               if not any(tree.contains(binding.node, read) for read in asked)]  # fmt: skip
    chains = {chain}
    for use in tree.all(cst.Attribute):
        spawn = next((call for call in spawns if tree.function(call) is tree.function(use)), None)
        if spawn is None or dotted(use) not in chains or not script.names.is_reference(use):
            continue
        if any(outer in gone for outer in (use, *tree.ancestors(use))) or tree.contains(spawn, use):
            continue
        if not any(tree.before(node, use) for node in counted):
            continue  # what it was before
        line = tree.statement(use)
        if isinstance(line, cst.If) and _chooses(script, line, spawn, use):
            choices.add(line)
        elif isinstance(line, cst.SimpleStatementLine) and tree.before(line, spawn) and _can_move(script, line, spawn):
            moved[line] = None
            chains |= {dotted(target.target) or "" for target in getattr(line.body[0], "targets", ())}
        else:
            return None, set()
    return list(moved), choices


def _chooses(script: Script, choice: cst.If, spawn: cst.Call, use: cst.Attribute) -> bool:
    """`if h.num_gpus > 1:` around the spawn, and the worker called otherwise."""
    test = choice.test
    if not isinstance(test, cst.Comparison) or test.left is not use or len(test.comparisons) != 1:
        return False
    target = test.comparisons[0]
    one = isinstance(target.comparator, cst.Integer) and target.comparator.value == "1"
    if not one or not isinstance(target.operator, cst.GreaterThan) or not script.tree.contains(choice.body, spawn):
        return False
    worker = script.launch.worker
    calls = [node for node in walk(choice.orelse) if isinstance(node, cst.Call)] if choice.orelse else []
    return not isinstance(choice.orelse, cst.If) and all(
        script.names.local_function(call.func) is worker for call in calls
    )


def _can_move(script: Script, line: cst.SimpleStatementLine, spawn: cst.Call) -> bool:
    """Whether every name of a statement means the same in the worker: it is passed under its name, or global."""
    worker = script.launch.worker
    if worker is None or len(line.body) != 1 or not isinstance(line.body[0], cst.Assign | cst.Expr):
        return False
    passed = {p.name.value for p, e in spawn_arguments(spawn, worker) if dotted(e.value) == p.name.value}
    targets = line.body[0].targets if isinstance(line.body[0], cst.Assign) else ()
    if any(not isinstance(target.target, cst.Attribute) for target in targets):
        return False  # a name of the spawning function alone
    for name in script.tree.inside(line, cst.Name):
        bindings = script.names.bindings(name)
        local = any(script.tree.function(binding.node) is not None for binding in bindings)
        if script.names.is_reference(name) and local and name.value not in passed:
            return False
        if isinstance(script.tree.parent.get(name), cst.Attribute) and local and name.value not in passed:
            return False
    return True
