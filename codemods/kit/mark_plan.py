"""Plans where a migrated script executes its graph: in loops that train, in loops that only run a model, and for steps
that no loop of the file repeats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.last_marks import LastMarks
from codemods.kit.loops import BatchLoop
from codemods.kit.marks import Mark, Marks, Order, beside, can_carry
from codemods.kit.reads import Reads
from codemods.kit.step_marks import StepMarks

if TYPE_CHECKING:
    from codemods.kit.script import Script


class Planner:
    """Makes the plan. With `scaled`, `scaler.step(optimizer)` stays as it is and can't be given a barrier."""

    def __init__(self, script: Script, *, scaled: bool) -> None:
        self.script, self.tree, self.scaled = script, script.tree, scaled
        self.reads = Reads(script)
        self.order = Order(script)
        self.plan = Marks()
        loops = script.loops
        if script.on_cpu or loops.managed or not (loops.batch_loops or loops.steps):
            return
        closures = script.calls("torch_xla.core.xla_model.add_step_closure")
        for loop in loops.train_loops():
            if not loop.steps and any(self.tree.contains(loop.loop, call) for call in closures):
                continue  # migrated by hand: closures run at a mark, which the loader makes
            StepMarks(script, self.reads, self.plan, loop, scaled=scaled).make()
        for loop in loops.evaluation_loops():
            self._evaluate(loop)
        self._alone()
        self.plan.marks += LastMarks(script, self.plan).make()
        order = self.tree.order
        self.plan.marks.sort(key=lambda mark: order[mark.node])

    def _evaluate(self, loop: BatchLoop) -> None:
        loaders = self.script.loaders
        if loop.marks:
            return
        if loaders.wrapped(loop):
            self.plan.twice += [read for read in self.reads.of(loop.loop, []) if not read.periodic][:1]
            return
        if loop.loader is not None and not loaders.on_device(loop) and not loaders.runs_elsewhere(loop):
            return
        if "torch_xla" in self.script.names.modules and (loop.loader is None or loop.loader.of == "parameter"):
            return  # migrated by hand: the loader may be a device loader made elsewhere
        if any(self.tree.contains(other.loop, loop.loop) for other in self.script.loops.train_loops()):
            if loop.loader is None:
                return
        body = loop.loop.body
        why = "executes the batch"
        reads = [read for read in self.reads.of(loop.loop, []) if not read.periodic]
        if reads:
            first = self._unconditional(reads[0].statement, loop)
            if not self.order.runs_a_model(first):
                self.plan.marks.append(Mark(beside(first, last=False), False, why, loop))
                return
        last = list(body.body)[-1]
        end = beside(last, last=True)
        leaves = isinstance(end, cst.Return | cst.Break | cst.Continue | cst.Raise)
        self.plan.marks.append(Mark(end, not leaves, why, loop))
        for jump in self.tree.all(cst.Continue):
            if jump is not end and self.tree.loop(jump) is loop.loop and self.order.computes_before(jump, loop):
                self.plan.marks.append(Mark(jump, False, why, loop))

    def _unconditional(self, statement: cst.CSTNode, loop: BatchLoop) -> cst.CSTNode:
        """The statement, or the outermost branch or inner loop around it."""
        found = statement
        for outer in self.tree.ancestors(statement):
            if outer is loop.loop:
                break
            if isinstance(outer, cst.If | cst.For | cst.While | cst.Try | cst.TryStar | cst.Match | cst.ExceptHandler):
                found = outer
        return self.tree.statement(found) or found

    def _after_update(self, statement: cst.BaseStatement) -> cst.BaseStatement:
        """The `scaler.update()` right after a step, which belongs to it; else the statement itself."""
        block = self.tree.block(statement)
        place = block.index(statement) + 1 if statement in block else len(block)
        following = block[place] if place < len(block) else None
        small = following.body[0] if isinstance(following, cst.SimpleStatementLine) else None
        call = small.value if isinstance(small, cst.Expr) else None
        updates = (
            isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute) and call.func.attr.value == "update"
        )
        return following if updates and following is not None else statement

    def _alone(self) -> None:
        """Steps of functions that no loop of this file calls: whoever does may have no device loader."""
        loops = self.script.loops
        for step in loops.steps:
            if step.loop is not None or step.function is None or step.migrated or loops.loops_of(step):
                continue
            if self.tree.qualname(step.function) in loops.links.looped:
                continue  # the loop of another file that calls it executes
            others = [other for other in loops.steps if other.function is step.function and other is not step]
            if any(self.tree.function(call) is step.function for call in loops.executing):
                continue
            if not others and can_carry(step, scaled=self.scaled) and self.order.is_plain(step):
                self.plan.barriers.add(step)
            elif not any(self.tree.before(step.call, other.call) for other in others):
                node: cst.CSTNode = step.call
                for outer in self.tree.ancestors(step.call):
                    if outer is step.function:
                        break
                    beside_it = any(self.tree.contains(outer, other.call) for other in others)
                    chooses = beside_it and isinstance(outer, cst.If)
                    if chooses or isinstance(outer, cst.For | cst.While):
                        node = outer
                member = self.tree.statement(node)
                if member is not None:
                    member = self._after_update(member)
                    self.plan.marks.append(Mark(beside(member, last=True), True, "executes the step", None))
