"""Where a migrated script executes the graph it has recorded: once a step, by the device loader, by a barrier of the
optimizer step, or by a mark of its own.

Facts (torch_xla 2.1 and 2.9 on one device): a device loader marks before every batch; a further mark of an empty graph
costs nothing; with no mark at all the graph grows until something is read. A value read after a mark costs no
execution; read before it, its computation runs twice.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.carried import Carried
from codemods.kit.logs import Log
from codemods.kit.loops import BatchLoop, Step
from codemods.kit.reads import Read
from codemods.kit.roles import Role
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.script import Script


@dataclass(eq=False)
class Mark:
    """A mark to be added."""

    node: cst.CSTNode
    """The statement it goes beside."""
    after: bool
    """After the statement, else before it."""
    why: str
    loop: BatchLoop | None


@dataclass
class Marks:
    """Every execution of the graph to be added to a script."""

    barriers: set[Step] = field(default_factory=set)
    """Steps that get `barrier=True`."""
    marks: list[Mark] = field(default_factory=list)
    logs: list[Log] = field(default_factory=list)
    """Logging statements that are to run after the step."""
    carried: list[Carried] = field(default_factory=list)
    """Values that are read only to be logged: they stay tensors until the logging statement runs."""
    twice: list[Read] = field(default_factory=list)
    """Reads that stay where they execute something a second time."""
    waits: list[Read] = field(default_factory=list)
    """Reads in every iteration that a mark precedes: nothing runs twice, but the host waits for the device."""


class Order:
    """Questions about where things stand in a loop."""

    def __init__(self, script: Script) -> None:
        self.script, self.tree = script, script.tree

    def position(self, mark: Mark) -> float:
        """Where a mark counts in the order of the source."""
        order = self.tree.order
        return max(order[node] for node in walk(mark.node)) if mark.after else order[mark.node] - 0.5

    def reaches(self, first: cst.CSTNode, second: cst.CSTNode) -> bool:
        """Whether whoever gets to `second` has been at `first`: no branch around the first leaves out the second."""
        branches = (cst.If, cst.Else, cst.ExceptHandler, cst.For, cst.While)
        return all(
            self.tree.contains(outer, second) for outer in self.tree.ancestors(first) if isinstance(outer, branches)
        )

    def covers(self, marks: list[Mark], event: cst.CSTNode, read: Read) -> bool:
        """Whether a mark stands between an event and a read, on every path to the read."""
        order = self.tree.order
        return any(
            order[event] <= self.position(mark) < order[read.node] and self.reaches(mark.node, read.node)
            for mark in marks
        )

    def computes_before(self, jump: cst.Continue, loop: BatchLoop) -> bool:
        """Whether the loop runs a model before a jump."""
        return any(
            self.tree.contains(loop.loop, call) and self.tree.before(call, jump) and self.is_model_call(call)
            for call in self.tree.all(cst.Call)
        )

    def runs_a_model(self, statement: cst.CSTNode) -> bool:
        """Whether a model is called in a statement."""
        return any(isinstance(node, cst.Call) and self.is_model_call(node) for node in walk(statement))

    def is_model_call(self, call: cst.Call) -> bool:
        """Whether a call runs a model."""
        return isinstance(call.func, cst.Name | cst.Attribute) and self.script.is_a(call.func, Role.MODEL)

    def is_plain(self, step: Step) -> bool:
        """Whether no loop stands between a step and its function."""
        for outer in self.tree.ancestors(step.call):
            if outer is step.function:
                return True
            if isinstance(outer, cst.For | cst.While):
                return False
        return True


def can_carry(step: Step, *, scaled: bool) -> bool:
    """Whether the migrated step is one call of `xm.optimizer_step`, which can be given a barrier."""
    if step.scaler is not None and scaled:
        return False
    return not (step.uses or step.closure or step.migrated or step.averaged)


def beside(statement: cst.CSTNode, *, last: bool) -> cst.CSTNode:
    """The node edits are asked beside: the first or last small statement of a line, or a compound statement."""
    if isinstance(statement, cst.SimpleStatementLine):
        return statement.body[-1 if last else 0]
    return statement
