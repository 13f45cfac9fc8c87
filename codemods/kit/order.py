"""The order of a training step, checked: backward, reduce, unscale, clip, step, update, mark.

A check of scripts that have been migrated, by this tool or by hand. It reads facts, as the rewrites do, but from the
result, and knows nothing of how the result was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.loops import XLA_STEP, BatchLoop
from codemods.kit.names import argument
from codemods.kit.roles import Role
from codemods.kit.steps import XLA_REDUCES, Step, exclusive

if TYPE_CHECKING:
    from codemods.kit.script import Script


@dataclass(frozen=True)
class Violation:
    """One thing out of order in a migrated step."""

    line: int
    what: str


def violations(script: Script, *, complete: bool = True) -> list[Violation]:
    """What is out of order in a migrated script, in source order.

    `complete`: the whole migration has been made, so that in several processes a missing reduction counts too.
    """
    loops = script.loops
    if loops.managed:
        return []
    found: list[tuple[cst.CSTNode, str]] = []
    for step in loops.steps:
        found += _of_step(script, step, complete)
    for loop in loops.batch_loops:
        found += _of_marks(script, loop)
        if complete:
            found += _unmarked(script, loop)
    found.sort(key=lambda pair: script.tree.order[pair[0]])
    return [Violation(script.tree.line(node), what) for node, what in found]


def _of_step(script: Script, step: Step, complete: bool) -> list[tuple[cst.CSTNode, str]]:
    tree = script.tree
    found: list[tuple[cst.CSTNode, str]] = []
    is_xla = script.qualified(step.call.func) == XLA_STEP
    reductions = _reductions(script, step)
    for reduction in reductions:
        for unscale in step.unscales:
            if tree.before(unscale, reduction) and not exclusive(tree, unscale, reduction):
                found.append((reduction, "reduces after unscale_: processes disagree on which step to skip"))
        for clip in step.clips:
            if tree.before(clip, reduction) and not exclusive(tree, clip, reduction):
                found.append((reduction, "reduces after clipping"))
        clipped = [node for node in (*step.uses, *step.unscales) if not _shares_guard(script, step, node)]
        if step.guard is not None and not clipped and not _shares_guard(script, step, reduction):
            found.append((reduction, "reduces in every micro-batch of an accumulated step"))
    for first, second in pairwise(reductions):
        if not exclusive(tree, first, second):
            found.append((second, "reduces twice for one step"))
    if is_xla and reductions and step.closure is None:
        found.append((step.call, "xm.optimizer_step reduces what has been reduced"))
    if is_xla and step.clips and not reductions:
        found.append((step.call, "clips before xm.optimizer_step reduces"))
    if step.scaler is not None and is_xla:
        found.append((step.call, "steps with a scaler and with xm.optimizer_step"))
    for clip in step.clips:
        late = [u for u in step.unscales if tree.before(clip, u) and not exclusive(tree, clip, u)]
        found += [(clip, "clips before unscale_") for _ in late]
    if step.scaler is not None:
        updates = [call for call in _updates(script, step) if tree.before(call, step.call)]
        between = [call for call in updates if step.backwards and tree.before(step.backwards[-1].call, call)]
        found += [(call, "updates the scaler before its step") for call in between]
    if complete and script.distributed and not (is_xla or reductions or step.migrated):
        found.append((step.call, "steps with the gradients of this process alone"))
    return found


def _reductions(script: Script, step: Step) -> list[cst.Call]:
    """Reductions of the step's optimizer between its last backward and the step."""
    tree = script.tree
    last = step.backwards[-1].call if step.backwards else None
    return [
        call
        for call in script.calls(*XLA_REDUCES)
        if call.args
        and call.args[0].value.deep_equals(step.optimizer)
        and tree.function(call) is step.function
        and tree.before(call, step.call)
        and not exclusive(tree, call, step.call)
        and (step.loop is None or tree.contains(step.loop, call))
        and (last is None or tree.before(last, call))
    ]


def _shares_guard(script: Script, step: Step, node: cst.CSTNode) -> bool:
    """Whether a node runs only when the step does."""
    return any(
        isinstance(outer, cst.If)
        and step.guard is not None
        and not script.tree.contains(outer.test, node)
        and (outer is step.guard or outer.test.deep_equals(step.guard.test))
        for outer in script.tree.ancestors(node)
    )


def _updates(script: Script, step: Step) -> list[cst.Call]:
    return [
        call
        for call in script.tree.all(cst.Call)
        if isinstance(call.func, cst.Attribute)
        and call.func.attr.value == "update"
        and script.tree.function(call) is step.function
        and script.is_a(call.func.value, Role.SCALER)
    ]


def _of_marks(script: Script, loop: BatchLoop) -> list[tuple[cst.CSTNode, str]]:
    """Two marks with nothing to execute between them."""
    tree = script.tree
    events = [*loop.sites, *(b.call for b in script.loops.backwards if tree.contains(loop.loop, b.call))]
    marks = sorted((mark for mark in loop.marks if _is_direct(script, mark)), key=tree.order.__getitem__)
    found: list[tuple[cst.CSTNode, str]] = []
    for first, second in pairwise(marks):
        between = [event for event in events if tree.before(first, event) and tree.before(event, second)]
        if loop.trains and not between and _always_after(script, first, second):
            found.append((second, "marks twice in one step"))
    return found


def _is_direct(script: Script, mark: cst.Call) -> bool:
    """Whether a mark is in the loop itself, and there to execute: one that waits measures or synchronises too."""
    return script.qualified(mark.func) is not None and not _waits(script, mark)


def _waits(script: Script, mark: cst.Call) -> bool:
    """`torch_xla.sync(wait=True)`, or `xm.mark_step()` with `xm.wait_device_ops()` on the next line."""
    if argument(mark, None, "wait") is not None:
        return True
    tree = script.tree
    line = tree.statement(mark)
    block = list(tree.block(line)) if line is not None else []
    following = next((after for before, after in pairwise(block) if before is line), None)
    waits = script.calls("torch_xla.core.xla_model.wait_device_ops")
    return following is not None and any(tree.statement(wait) is following for wait in waits)


def _always_after(script: Script, first: cst.CSTNode, second: cst.CSTNode) -> bool:
    """Whether the second is reached only after the first: no branch around the first leaves it out, and no jump."""
    branches = (cst.If, cst.Else, cst.ExceptHandler, cst.For, cst.While)
    return all(
        script.tree.contains(outer, second) for outer in script.tree.ancestors(first) if isinstance(outer, branches)
    )


def _unmarked(script: Script, loop: BatchLoop) -> list[tuple[cst.CSTNode, str]]:
    if not loop.trains or loop.marks or script.loaders.fed(loop):
        return []
    return [(loop.loop, "never executes its graph")]
