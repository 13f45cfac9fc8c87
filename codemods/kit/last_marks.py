"""Where step closures that still wait when a loop is left get a mark to run at.

A device loader marks before every batch, and once more when there is none left. A loop that is left by `break` or
`return`, or that asks for its batches by `next(...)`, leaves what its last iteration handed over: nothing prints it,
unless something below executes the graph.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.logs import Log
from codemods.kit.loops import BatchLoop
from codemods.kit.marks import Mark, Marks, Order

if TYPE_CHECKING:
    from codemods.kit.script import Script

_WHY = "runs the last step closure"


class LastMarks:
    """Plans the marks after the loops that log in step closures, given the marks that are planned already."""

    def __init__(self, script: Script, plan: Marks) -> None:
        self.script, self.tree, self.order, self.plan = script, script.tree, Order(script), plan
        loops = script.loops
        self.wrapped = [loop.loop for loop in loops.batch_loops if script.loaders.wrapped(loop)]
        self.executing: list[cst.CSTNode] = [
            *(mark.node for mark in plan.marks),
            *(step.call for step in plan.barriers),
            *(call for loop in loops.batch_loops for call in loop.marks),
            *loops.executing,
        ]

    def make(self) -> list[Mark]:
        """The marks to be added."""
        found: dict[cst.CSTNode, Mark] = {}
        for loop in self.script.loops.train_loops():
            for log in self.plan.logs:
                if log.read.region is loop.loop:
                    found |= {mark.node: mark for mark in self._of(loop, log) if mark.node not in found}
        return list(found.values())

    def _of(self, loop: BatchLoop, log: Log) -> list[Mark]:
        tree = self.tree
        jumps = [jump for kind in (cst.Break, cst.Return) for jump in tree.inside(loop.loop, kind)]
        jumps = [jump for jump in jumps if tree.function(jump) is loop.function and self._waits_at(jump, log)]
        found = [Mark(jump, False, _WHY, loop) for jump in jumps if isinstance(jump, cst.Return)]
        breaks = any(isinstance(jump, cst.Break) and tree.loop(jump) is loop.loop for jump in jumps)
        if (breaks or self._ends_waiting(loop, log)) and not self._executes_below(loop):
            found.append(Mark(self._outermost(loop), True, _WHY, loop))
        return found

    def _waits_at(self, jump: cst.CSTNode, log: Log) -> bool:
        """Whether a jump leaves a loop with what a log above it handed over."""
        tree, statement = self.tree, log.statement
        return tree.before(statement, jump) and not any(
            tree.before(statement, node) and tree.before(node, jump) and self.order.reaches(node, statement)
            for node in self.executing
        )

    def _ends_waiting(self, loop: BatchLoop, log: Log) -> bool:
        """Whether nothing executes between a log and the end of the batches; a `for` over a device loader does."""
        feeds = self.script.loaders.feeds(loop)
        header = loop.loop.iter if isinstance(loop.loop, cst.For) else None
        if loop.loop in self.wrapped and header and any(self.tree.contains(header, one) for one in feeds):
            return False
        return not any(
            self.tree.contains(loop.loop, node)
            and self.tree.before(log.statement, node)
            and self.order.reaches(node, log.statement)
            for node in self.executing
        )

    def _outermost(self, loop: BatchLoop) -> cst.For | cst.While:
        """The loop of the same function that holds all the others around this one: only its last turn leaves a closure
        that no batch follows."""
        found = loop.loop
        while (outer := self.tree.loop(found)) is not None:
            found = outer
        return found

    def _executes_below(self, loop: BatchLoop) -> bool:
        """Whether whoever leaves a loop comes to another execution in the same function."""
        tree, names = self.tree, self.script.names
        functions = {tree.function(node) for node in [*self.wrapped, *self.executing]} - {None, loop.function}
        calls = [call for call in tree.all(cst.Call) if names.local_function(call.func) in functions]
        return any(
            tree.function(node) is loop.function
            and tree.before(loop.loop, node)
            and not tree.contains(loop.loop, node)
            and self.order.reaches(node, loop.loop)
            for node in [*self.wrapped, *self.executing, *calls]
        )
