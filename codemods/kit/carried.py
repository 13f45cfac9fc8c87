"""Values that are read only to be logged, `d = loss.item()` and a `print` of `d`: they can stay tensors until then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.logs import Log, Movable
from codemods.kit.reads import Read, Reads
from codemods.kit.scalars import first_of_data

if TYPE_CHECKING:
    from codemods.kit.loops import BatchLoop
    from codemods.kit.script import Script


@dataclass(eq=False)
class Carried:
    """A read whose value goes into logging statements of the loop and nowhere else."""

    read: Read
    uses: list[cst.Name]
    logs: list[Log]


def carried(script: Script, reads: Reads, read: Read, loop: BatchLoop) -> Carried | None:
    """The read, when all it is for is to be logged by statements of the loop that can run after the step."""
    statement = read.statement
    if not isinstance(statement, cst.Assign) or len(statement.targets) != 1 or statement.value is not read.node:
        return None
    target, tensor = statement.targets[0].target, read_tensor(script, read.node)
    if not isinstance(target, cst.Name) or tensor is None:
        return None
    bindings = script.names.bindings(target)
    if not reads.is_live(tensor) or len(bindings) != 1:
        return None
    uses = [
        name
        for name in script.tree.all(cst.Name)
        if name.value == target.value and name is not target and script.names.bindings(name) == bindings
        and script.names.is_reference(name)
    ]  # fmt: skip
    logs: dict[cst.CSTNode, Log] = {}
    for use in uses:
        logging = script.tree.small_statement(use)
        if logging is None or not reads.is_log(logging) or not script.tree.contains(loop.loop, logging):
            return None
        parent = script.tree.parent.get(use)
        if isinstance(parent, cst.FormattedStringExpression) and parent.equal is not None:
            return None
        if logging not in logs:
            assert isinstance(logging, cst.Expr)
            log = Movable(script, reads, Read(logging.value, logging, loop.loop, read.periodic, True)).log()
            if log is None or not script.tree.before(statement, logging):
                return None
            logs[logging] = log
    return Carried(read, uses, list(logs.values())) if logs else None


def read_tensor(script: Script, node: cst.CSTNode) -> cst.BaseExpression | None:
    """The tensor that `tensor.item()`, or `tensor.data[0]` of a loss, reads."""
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and node.func.attr.value == "item":
        return node.func.value
    return first_of_data(script.roles, node)
