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

from codemods.kit.logs import Log, Movable
from codemods.kit.loops import BatchLoop, Step
from codemods.kit.reads import Read, Reads
from codemods.kit.roles import Role
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.script import Script

_SETTLES = {"zero_grad", "update", "step", "step_update"}
"""Methods that belong to the end of a step: the mark goes after them."""


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
    twice: list[Read] = field(default_factory=list)
    """Reads that stay where they execute something a second time."""
    waits: list[Read] = field(default_factory=list)
    """Reads in every iteration that a mark precedes: nothing runs twice, but the host waits for the device."""


class Planner:
    """Makes the plan. With `scaled`, `scaler.step(optimizer)` stays as it is and can't be given a barrier."""

    def __init__(self, script: Script, *, scaled: bool) -> None:
        self.script, self.tree, self.scaled = script, script.tree, scaled
        self.reads = Reads(script)
        self.plan = Marks()
        loops = script.loops
        if loops.managed or not (loops.batch_loops or loops.steps):
            return
        for loop in loops.train_loops():
            self._train(loop)
        for loop in loops.evaluation_loops():
            self._evaluate(loop)
        self._alone()
        order = self.tree.order
        self.plan.marks.sort(key=lambda mark: order[mark.node])

    # --- loops that train ---------------------------------------------------------------------------------------

    def _train(self, loop: BatchLoop) -> None:
        inner = [other.loop for other in self.script.loops.batch_loops
                 if other is not loop and self.tree.contains(loop.loop, other.loop)]  # fmt: skip
        reads = self.reads.of(loop.loop, inner)
        settled = bool(loop.marks) or any(step.migrated for step in loop.steps) or self._settled_by_helper(loop)
        logs = {read: log for read in reads if (log := Movable(self.script, self.reads, read).log())}
        after_steps = False
        marks: list[Mark] = []
        events = self._events(loop)
        if not settled:
            for read in reads:
                event = self._event_before(read, events)
                if read.periodic or read in logs or event is None or self._covered(read, event, marks):
                    continue
                if self._is_end(event, loop, read):
                    after_steps = True
                else:
                    marks.append(self._before(read, event, loop))
            if not self.script.loaders.wrapped(loop) and not any(self._ends(mark, loop) for mark in marks):
                after_steps = True
        if after_steps:
            self._after_steps(loop, marks)
        self.plan.marks += [mark for mark in marks if not any(mark.node is step.call for step in self.plan.barriers)]
        self._sort_reads(loop, reads, logs, events, marks, after_steps)

    def _settled_by_helper(self, loop: BatchLoop) -> bool:
        """A function that steps for the loop and then reads (`return loss.item()`) executes the step itself."""
        functions = {step.function for step in loop.steps}
        function = functions.pop() if len(functions) == 1 else None
        if function is None or function is loop.function or len(loop.steps) != 1:
            return False
        step = loop.steps[0]
        if not self.can_carry(step) or not self._is_plain(step):
            return False
        if not any(self.tree.before(step.call, read.node) for read in self.reads.of(function, [])):
            return False
        self.plan.barriers.add(step)
        return True

    def _events(self, loop: BatchLoop) -> list[cst.CSTNode]:
        """Backwards and steps in the body, in source order: what a read after them would cut in two."""
        found: list[cst.CSTNode] = [*loop.sites]
        for backward in self.script.loops.backwards:
            if backward.function is loop.function and self.tree.contains(loop.loop.body, backward.call):
                found.append(backward.call)
        return sorted(set(found), key=self.tree.order.__getitem__)

    def _event_before(self, read: Read, events: list[cst.CSTNode]) -> cst.CSTNode | None:
        before = [event for event in events if self.tree.before(event, read.node)
                  and self.tree.small_statement(event) is not read.statement]  # fmt: skip
        return before[-1] if before else None

    def _covered(self, read: Read, event: cst.CSTNode, marks: list[Mark]) -> bool:
        """Whether a mark stands between an event and a read, on every path to the read."""
        order = self.tree.order
        return any(
            order[event] <= self._position(mark) < order[read.node] and self._reaches(mark.node, read.node)
            for mark in marks
        )

    def _position(self, mark: Mark) -> float:
        order = self.tree.order
        return max(order[node] for node in walk(mark.node)) if mark.after else order[mark.node] - 0.5

    def _reaches(self, first: cst.CSTNode, second: cst.CSTNode) -> bool:
        """Whether whoever gets to `second` has been at `first`: no branch around the first leaves out the second."""
        branches = (cst.If, cst.Else, cst.ExceptHandler, cst.For, cst.While)
        return all(
            self.tree.contains(outer, second) for outer in self.tree.ancestors(first) if isinstance(outer, branches)
        )

    def _is_end(self, event: cst.CSTNode, loop: BatchLoop, read: Read) -> bool:
        """Whether an event is the last step of the body, and every path to the read passes it."""
        return bool(loop.sites) and event is loop.sites[-1] and self._reaches(self._end(loop), read.node)

    def _ends(self, mark: Mark, loop: BatchLoop) -> bool:
        """Whether a mark stands after the last step, outside any branch."""
        last = loop.sites[-1] if loop.sites else None
        member = self.tree.statement(mark.node) or mark.node
        return (last is None or self.tree.before(last, mark.node)) and self.tree.parent.get(member) is loop.loop.body

    def _before(self, read: Read, event: cst.CSTNode, loop: BatchLoop) -> Mark:
        """A mark before a read, above every branch and inner loop that doesn't hold the event too."""
        node: cst.CSTNode = read.statement
        for outer in self.tree.ancestors(read.statement):
            if outer is loop.loop or self.tree.contains(outer, event):
                break
            if isinstance(outer, cst.BaseCompoundStatement):
                node = outer
        node = self.tree.statement(node) or node
        return Mark(_small(node, last=False), False, "before the values of this step are read", loop)

    # --- the end of the step ------------------------------------------------------------------------------------

    def _after_steps(self, loop: BatchLoop, marks: list[Mark]) -> None:
        step = self._barrier(loop)
        if step is not None:
            self.plan.barriers.add(step)
            end: cst.CSTNode = step.call
        else:
            end = self._end(loop)
        marks.append(Mark(end, True, "executes the step", loop))
        if not self.script.loaders.wrapped(loop):
            marks += self._continues(loop, end)

    def _barrier(self, loop: BatchLoop) -> Step | None:
        """The step that can carry the barrier: the only one, always reached, and made by `xm.optimizer_step`."""
        if len(loop.steps) != 1 or loop.backwards:
            return None
        step = loop.steps[0]
        if step.loop is not loop.loop or not self.can_carry(step):
            return None
        for outer in self.tree.ancestors(step.call):
            if outer is loop.loop or outer is step.guard:
                return step
            if isinstance(outer, cst.If | cst.For | cst.While | cst.ExceptHandler | cst.Match):
                return None
        return None

    def can_carry(self, step: Step) -> bool:
        """Whether the migrated step is one call of `xm.optimizer_step` that can be given a barrier."""
        scaled = step.scaler is not None and self.scaled
        return not (scaled or step.uses or step.closure or step.migrated or step.reduced)

    def _end(self, loop: BatchLoop) -> cst.CSTNode:
        """The statement after which the step is complete, on every path that steps."""
        guards = {step.guard if step.loop is loop.loop else None for step in loop.steps}
        guard = guards.pop() if len(guards) == 1 else None
        body = guard.body if guard is not None else loop.loop.body
        sites = loop.sites or [backward.call for backward in loop.backwards]
        statements = list(body.body)
        index = statements.index(self._member(body, sites[-1]))
        while index + 1 < len(statements) and self._settles(statements[index + 1]):
            index += 1
        return _small(statements[index], last=True)

    def _member(self, body: cst.CSTNode, node: cst.CSTNode) -> cst.CSTNode:
        found = node
        for outer in self.tree.ancestors(node):
            if outer is body:
                return found
            found = outer
        return found

    def _settles(self, statement: cst.CSTNode) -> bool:
        """`scaler.update()`, `optimizer.zero_grad()`, `scheduler.step()`"""
        if not isinstance(statement, cst.SimpleStatementLine):
            return False
        roles = (Role.SCALER, Role.OPTIMIZER, Role.SCHEDULER, Role.MODEL)
        return all(
            isinstance(small, cst.Expr)
            and isinstance(small.value, cst.Call)
            and isinstance(small.value.func, cst.Attribute)
            and small.value.func.attr.value in _SETTLES
            and (
                small.value.func.attr.value == "zero_grad"
                or any(value.role in roles for value in self.script.roles.values(small.value.func.value))
            )
            for small in statement.body
        )

    def _continues(self, loop: BatchLoop, end: cst.CSTNode) -> list[Mark]:
        """`continue` statements that would leave a computed batch unexecuted; not those that only accumulate."""
        found = []
        for jump in self.tree.all(cst.Continue):
            if self.tree.loop(jump) is not loop.loop or not self.tree.before(jump, end):
                continue
            events = [event for event in self._events(loop) if self.tree.before(event, jump)]
            if events and event_is_backward(events[-1]):
                continue  # the next iteration goes on with the same gradients
            if self._computes_before(jump, loop):
                found.append(Mark(jump, False, "executes what this batch recorded before it is left", loop))
        return found

    def _computes_before(self, jump: cst.Continue, loop: BatchLoop) -> bool:
        return any(
            self.tree.contains(loop.loop, call) and self.tree.before(call, jump) and self._is_model_call(call)
            for call in self.tree.all(cst.Call)
        )

    def _runs_a_model(self, statement: cst.CSTNode) -> bool:
        return any(isinstance(node, cst.Call) and self._is_model_call(node) for node in walk(statement))

    def _is_model_call(self, call: cst.Call) -> bool:
        return isinstance(call.func, cst.Name | cst.Attribute) and self.script.is_a(call.func, Role.MODEL)

    def _unconditional(self, statement: cst.CSTNode, loop: BatchLoop) -> cst.CSTNode:
        """The statement, or the outermost branch or inner loop around it."""
        found = statement
        for outer in self.tree.ancestors(statement):
            if outer is loop.loop:
                break
            if isinstance(outer, cst.If | cst.For | cst.While | cst.Try | cst.TryStar | cst.Match | cst.ExceptHandler):
                found = outer
        return self.tree.statement(found) or found

    # --- reads and logs -----------------------------------------------------------------------------------------

    def _sort_reads(
        self,
        loop: BatchLoop,
        reads: list[Read],
        logs: dict[Read, Log],
        events: list[cst.CSTNode],
        marks: list[Mark],
        after_steps: bool,
    ) -> None:
        standing = marks + [Mark(call, True, "", loop) for call in loop.marks if self.tree.contains(loop.loop, call)]
        if not reads or not (standing or self.script.loaders.wrapped(loop)):
            return
        for read in reads:
            event = self._event_before(read, events)
            if event is not None and self._covered(read, event, standing):
                if not read.periodic:
                    self.plan.waits.append(read)
            elif read in logs:
                self.plan.logs.append(logs[read])
            elif not self._runs_a_model(read.statement):
                self.plan.twice.append(read)

    # --- loops that only run a model, and steps without a loop --------------------------------------------------

    def _evaluate(self, loop: BatchLoop) -> None:
        loaders = self.script.loaders
        if loop.marks:
            return
        if loaders.wrapped(loop):
            self.plan.twice += [read for read in self.reads.of(loop.loop, []) if not read.periodic][:1]
            return
        if loop.loader is not None and not loaders.on_device(loop):
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
            if not self._runs_a_model(first):
                self.plan.marks.append(Mark(_small(first, last=False), False, why, loop))
                return
        last = list(body.body)[-1]
        small = _small(last, last=True)
        leaves = isinstance(small, cst.Return | cst.Break | cst.Continue | cst.Raise)
        self.plan.marks.append(Mark(small, not leaves, why, loop))
        for jump in self.tree.all(cst.Continue):
            if jump is not small and self.tree.loop(jump) is loop.loop and self._computes_before(jump, loop):
                self.plan.marks.append(Mark(jump, False, why, loop))

    def _alone(self) -> None:
        """Steps of functions that no loop of this file calls: whoever does may have no device loader."""
        loops = self.script.loops
        for step in loops.steps:
            if step.loop is not None or step.function is None or step.migrated or loops.loops_of(step):
                continue
            others = [other for other in loops.steps if other.function is step.function and other is not step]
            if any(self.tree.function(call) is step.function for call in loops.executing):
                continue
            if not others and self.can_carry(step) and self._is_plain(step):
                self.plan.barriers.add(step)
            elif not any(self.tree.before(step.call, other.call) for other in others):
                node: cst.CSTNode = step.call
                for outer in self.tree.ancestors(step.call):
                    if outer is step.function:
                        break
                    if isinstance(outer, cst.For | cst.While):
                        node = outer
                member = self.tree.statement(node)
                if member is not None:
                    self.plan.marks.append(Mark(_small(member, last=True), True, "executes the step", None))

    def _is_plain(self, step: Step) -> bool:
        for outer in self.tree.ancestors(step.call):
            if outer is step.function:
                return True
            if isinstance(outer, cst.For | cst.While):
                return False
        return True


def event_is_backward(event: cst.CSTNode) -> bool:
    """Whether an event of a training loop is a backward and not a step."""
    return isinstance(event, cst.Call) and isinstance(event.func, cst.Attribute) and event.func.attr.value == "backward"


def _small(statement: cst.CSTNode, *, last: bool) -> cst.CSTNode:
    """The node edits are asked beside: the first or last small statement of a line, or a compound statement."""
    if isinstance(statement, cst.SimpleStatementLine):
        return statement.body[-1 if last else 0]
    return statement
