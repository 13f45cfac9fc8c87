"""The marks of a loop that trains: where its step is executed, and what happens to the values it reads and logs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.carried import Carried, carried
from codemods.kit.logs import Log, Movable
from codemods.kit.loops import BatchLoop, Step
from codemods.kit.marks import Mark, Marks, Order, beside, can_carry
from codemods.kit.reads import Read, Reads
from codemods.kit.roles import Role
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.script import Script

_SETTLES = {"zero_grad", "update", "step", "step_update"}
"""Methods that belong to the end of a step: the mark goes after them."""


class StepMarks:
    """Plans one loop that trains, and adds what it finds to the plan."""

    def __init__(self, script: Script, reads: Reads, plan: Marks, loop: BatchLoop, *, scaled: bool) -> None:
        self.script, self.tree, self.reads, self.plan, self.loop = script, script.tree, reads, plan, loop
        self.scaled = scaled
        self.order = Order(script)
        self.wrapped, self.stays = script.loaders.wrapped(loop), script.loaders.may_stay(loop)
        self.events = self._events(loop)
        self.waits = self._waits(loop)
        self.marks: list[Mark] = list(self.waits)
        self.after_steps = False
        self.read_after: list[Read] = []
        """The reads of the loop, when the mark after the step serves one of them."""
        self.carried: dict[Read, Carried] = {}

    def make(self) -> None:
        loop = self.loop
        inner = [other.loop for other in self.script.loops.batch_loops
                 if other is not loop and self.tree.contains(loop.loop, other.loop)]  # fmt: skip
        reads = self.reads.of(loop.loop, inner)
        later = [] if self.stays else reads  # nothing runs a step closure where no graph is executed
        logs = {read: log for read in later if (log := Movable(self.script, self.reads, read).log())}
        if not (loop.marks or any(step.migrated for step in loop.steps) or self._settled_by_helper(loop)):
            self._cover(reads, logs)
        if self.after_steps:
            self._after_steps(loop, self.marks)
        barriers = {step.call for step in self.plan.barriers}
        self.plan.marks += [mark for mark in self.marks if mark.node not in barriers and mark not in self.waits]
        self._sort(reads, logs)

    def _cover(self, reads: list[Read], logs: dict[Read, Log]) -> None:
        """Give every read of every iteration a mark before it, or carry it to where it is logged."""
        self.after_steps = not self.wrapped
        later = [] if self.stays else reads
        found = {read: one for read in later if (one := carried(self.script, self.reads, read, self.loop))}
        rest = [read for read in reads if read not in found]
        early = any(self._ends_before(read) for read in rest if read not in logs)
        asked = False  # a mark right after the step, by a read
        for read in [*rest, *found]:
            event = self._event_before(read)
            ends = event is not None and self._is_end(event, read)
            if read in logs:
                continue
            if ends and self.after_steps:
                self.read_after = reads
                continue
            if read in found:
                if event is None or not self.order.covers(self.marks, event, read):
                    self.carried[read] = found[read]
            elif read.periodic or event is None or self.order.covers(self.marks, event, read):
                continue
            elif ends or (early and self.tree.before(self.loop.sites[-1], event)):
                self.after_steps = asked = True
            else:
                self.marks.append(self._before(read, event, self.loop))
        if asked:
            self.read_after = reads
        elif any(self._ends(mark, self.loop) or self._ends_the_branch(mark) for mark in self.marks):
            self.after_steps = False

    def _waits(self, loop: BatchLoop) -> list[Mark]:
        """Where the script itself waits for the device once a step is complete, `torch.cuda.synchronize()`: what
        becomes of it executes the step as well as a mark does."""
        return [mark for mark in self._waiting(loop) if loop.sites and self._ends(mark, loop)]

    def _waiting(self, loop: BatchLoop) -> list[Mark]:
        inside = self.tree.contains
        calls = (call for call in self.script.calls("torch.cuda.synchronize") if inside(loop.loop.body, call))
        return [Mark(call, True, "", loop) for call in calls if isinstance(self.tree.parent.get(call), cst.Expr)]

    def _ends_before(self, read: Read) -> bool:
        """Whether a read is of what the step itself computed: a mark right after the step serves it best."""
        event = self._event_before(read)
        return event is not None and self._is_end(event, read)

    def _is_light(self, event: cst.CSTNode, read: Read) -> bool:
        """Whether little is computed between the end of the step and a read: no model runs there."""
        sites = self.loop.sites
        if not sites or not self.tree.before(sites[-1], event):
            return False
        calls = self.tree.inside(self.loop.loop, cst.Call)
        return not any(
            self.tree.before(sites[-1], call) and self.tree.before(call, read.node) and self.order.is_model_call(call)
            for call in calls
        )

    def _events(self, loop: BatchLoop) -> list[cst.CSTNode]:
        """Backwards and steps in the body, in source order: what a read after them would cut in two."""
        found: list[cst.CSTNode] = [*loop.sites]
        for backward in self.script.loops.backwards:
            if backward.function is loop.function and self.tree.contains(loop.loop.body, backward.call):
                found.append(backward.call)
        return sorted(set(found), key=self.tree.order.__getitem__)

    def _event_before(self, read: Read) -> cst.CSTNode | None:
        before = [event for event in self.events if self.tree.before(event, read.node)
                  and self.tree.small_statement(event) is not read.statement]  # fmt: skip
        if not before:
            return None
        made = self._last_made(read)
        return made if made is not None and self.tree.before(before[-1], made) else before[-1]

    def _last_made(self, read: Read) -> cst.CSTNode | None:
        """The last statement of the loop before a read that makes what it reads."""
        looked_at = read.statement if read.logs else read.node
        made = [
            binding.node
            for name in walk(looked_at)
            if isinstance(name, cst.Name | cst.Attribute) and self.reads.is_live(name)
            for binding in self.script.names.bindings(name)
            if self.tree.contains(self.loop.loop.body, binding.node) and self.tree.before(binding.node, looked_at)
        ]
        return max(made, key=self.tree.order.__getitem__, default=None)

    def _is_end(self, event: cst.CSTNode, read: Read) -> bool:
        """Whether an event is the last step of the body, and every path to the read passes it."""
        sites = self.loop.sites
        if not sites or event is not sites[-1]:
            return False
        end = self._end(self.loop)  # of a step in a branch: the branch, which may hold the read
        return (
            self.tree.before(end, read.node)
            and not self.tree.contains(end, read.node)
            and self.order.reaches(end, read.node)
        )

    def _ends(self, mark: Mark, loop: BatchLoop) -> bool:
        """Whether a mark stands after the last step, outside any branch."""
        last = loop.sites[-1] if loop.sites else None
        member = self.tree.statement(mark.node) or mark.node
        return (last is None or self.tree.before(last, mark.node)) and self.tree.parent.get(member) is loop.loop.body

    def _ends_the_branch(self, mark: Mark) -> bool:
        """Whether a mark stands after the last step, in the one branch of the body that does anything."""
        sites, body = self.loop.sites, self.loop.loop.body
        block = self.tree.parent.get(self.tree.statement(mark.node) or mark.node)
        if block is None or not sites or not all(self.tree.contains(block, site) for site in sites):
            return False
        if not self.tree.before(sites[-1], mark.node):
            return False
        owner = self.tree.parent.get(block)
        branch = self.tree.parent.get(owner) if isinstance(owner, cst.Else) else owner
        if not isinstance(branch, cst.If) or self.tree.parent.get(branch) is not body:
            return False
        arms = [branch.body, *([branch.orelse] if branch.orelse is not None else [])]
        others = [arm for arm in arms if not self.tree.contains(arm, mark.node)]
        return bool(others) and not any(self.tree.inside(arm, cst.Call) for arm in others)

    def _before(self, read: Read, event: cst.CSTNode, loop: BatchLoop) -> Mark:
        """A mark before a read, above every branch and inner loop that doesn't hold the event too."""
        node: cst.CSTNode = read.statement
        for outer in self.tree.ancestors(read.statement):
            if outer is loop.loop or self.tree.contains(outer, event):
                break
            if isinstance(outer, cst.BaseCompoundStatement):
                node = outer
        node = self.tree.statement(node) or node
        return Mark(beside(node, last=False), False, "before the values of this step are read", loop)

    # --- the end of the step ------------------------------------------------------------------------------------

    def _after_steps(self, loop: BatchLoop, marks: list[Mark]) -> None:
        step = self._barrier(loop)
        end = self._end(loop)
        if step is not None and end is self._end(loop, follow=False):
            self.plan.barriers.add(step)
            end = step.call
        marks.append(Mark(end, True, "executes the step", loop))
        if not self.script.loaders.wrapped(loop):
            marks += self._continues(loop, end)

    def _barrier(self, loop: BatchLoop) -> Step | None:
        """The step that can carry the barrier: the only one, always reached, and made by `xm.optimizer_step`."""
        if len(loop.steps) != 1 or loop.backwards:
            return None
        step = loop.steps[0]
        if step.loop is not loop.loop or not can_carry(step, scaled=self.scaled):
            return None
        for outer in self.tree.ancestors(step.call):
            if outer is loop.loop or outer is step.guard:
                return step
            if isinstance(outer, cst.If | cst.For | cst.While | cst.ExceptHandler | cst.Match):
                return None
        return None

    def _end(self, loop: BatchLoop, follow: bool = True) -> cst.CSTNode:
        """The statement after which the step is complete, on every path that steps: with `follow`, also what is done to
        models between it and the read that asks for the mark, such as the update of an average."""
        guards = {step.guard if step.loop is loop.loop else None for step in loop.steps}
        guard = guards.pop() if len(guards) == 1 else None
        body = guard.body if guard is not None else loop.loop.body
        statements = list(body.body)
        if not loop.sites:  # parameters are updated by hand
            leaves = isinstance(beside(statements[-1], last=True), cst.Continue | cst.Break | cst.Return | cst.Raise)
            return beside(statements[-2 if leaves and len(statements) > 1 else -1], last=True)
        index = statements.index(self._member(body, loop.sites[-1]))
        while index + 1 < len(statements) and self._settles(statements[index + 1]):
            index += 1
        ahead = index + 1
        while follow and self.read_after and ahead < len(statements) and self._is_plain(statements[ahead]):
            if any(map(self._is_model, self.tree.inside(statements[ahead], cst.Name))):
                index = ahead
            ahead += 1
        return beside(statements[index], last=True)

    def _is_model(self, name: cst.Name) -> bool:
        """A model by its role, or what the loop calls like one."""
        return name.value in self._called or self.script.is_a(name, Role.MODEL)

    @cached_property
    def _called(self) -> set[str]:
        """Names that the loop calls: nothing that is imported or defined here."""
        names = self.script.names
        functions = (call.func for call in self.tree.inside(self.loop.loop, cst.Call))
        return {
            func.value
            for func in functions
            if isinstance(func, cst.Name) and names.qualified(func) is None and names.local_function(func) is None
        }

    def _is_plain(self, statement: cst.CSTNode) -> bool:
        """Whether a statement neither reads nor leaves the loop."""
        if any(self.tree.contains(statement, read.node) for read in self.read_after):
            return False
        return not any(self.tree.inside(statement, kind) for kind in (cst.Continue, cst.Break, cst.Return, cst.Raise))

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
            events = [event for event in self.events if self.tree.before(event, jump)]
            if events and event_is_backward(events[-1]):
                continue  # the next iteration goes on with the same gradients
            if self.order.computes_before(jump, loop):
                found.append(Mark(jump, False, "executes what this batch recorded before it is left", loop))
        return found

    def _settled_by_helper(self, loop: BatchLoop) -> bool:
        """A function that steps for the loop and then reads (`return loss.item()`) executes the step itself."""
        functions = {step.function for step in loop.steps}
        function = functions.pop() if len(functions) == 1 else None
        if function is None or function is loop.function or len(loop.steps) != 1:
            return False
        step = loop.steps[0]
        if not can_carry(step, scaled=self.scaled) or not self.order.is_plain(step):
            return False
        if not any(self.tree.before(step.call, read.node) for read in self.reads.of(function, [])):
            return False
        self.plan.barriers.add(step)
        return True

    # --- reads and logs -----------------------------------------------------------------------------------------

    def _sort(self, reads: list[Read], logs: dict[Read, Log]) -> None:
        """What becomes of each read: nothing, a logging function, or a note."""
        loop = self.loop
        standing = self.marks + [
            Mark(call, True, "", loop) for call in loop.marks if self.tree.contains(loop.loop, call)
        ]
        standing += self._waiting(loop)
        if not (standing or self.wrapped):
            return
        self.plan.carried += self.carried.values()
        moved = {log.statement: log for one in self.carried.values() for log in one.logs}
        for read in reads:
            event = self._event_before(read)
            if read in self.carried or read.statement in moved:
                continue
            if event is not None and read not in logs and self._is_light(event, read):
                event = loop.sites[-1]
            if event is not None and self.order.covers(standing, event, read):
                if not read.periodic:
                    self.plan.waits.append(read)
            elif read in logs:
                moved[logs[read].statement] = logs[read]
            elif self.reads.gives_loss(read.statement) or not self.order.runs_a_model(read.statement):
                self.plan.twice.append(read)
        self.plan.logs += sorted(moved.values(), key=lambda log: self.tree.order[log.statement])


def event_is_backward(event: cst.CSTNode) -> bool:
    """Whether an event of a training loop is a backward and not a step."""
    return isinstance(event, cst.Call) and isinstance(event.func, cst.Attribute) and event.func.attr.value == "backward"
