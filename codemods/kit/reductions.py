"""Where the gradients of a step are averaged over the processes: once, after the last backward and before anything
looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit import build
from codemods.kit.steps import Step

if TYPE_CHECKING:
    from codemods.kit.script import Script


@dataclass(frozen=True)
class Place:
    """Where a reduction goes."""

    before: cst.CSTNode
    """The statement it stands before."""
    over: cst.For | None
    """The loop over optimizers it has to repeat, when it stands before that loop and not in it."""

    def wrap(self, statements: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
        """The statements, repeated for every optimizer where that is needed."""
        if self.over is None:
            return list(statements)
        header = f"for {build.code_of(self.over.target)} in {build.code_of(self.over.iter)}:\n    pass\n"
        loop = build.statements(header)[0]
        assert isinstance(loop, cst.For)
        return [loop.with_changes(body=cst.IndentedBlock(list(statements)))]


def may_be_several(script: Script, step: Step) -> bool:
    """Whether a step may run in several processes: the script starts them, or the optimizer comes from elsewhere."""
    return script.distributed or step.value.of == "parameter" or isinstance(step.value.origin, cst.Param)


def place(script: Script, step: Step) -> Place:
    """The place for the reduction of a step: before the first clip, unscaling or read of its gradients, else before
    the step. Under accumulation that is inside the guard of the step, unless the script clips in every micro-batch."""
    tree = script.tree
    first = min([*step.uses, *step.unscales, step.call], key=tree.order.__getitem__)
    found: cst.CSTNode | None = tree.small_statement(first)
    for outer in tree.ancestors(first):
        if tree.contains(outer, step.call) or (
            isinstance(outer, cst.IndentedBlock) and _same_guard(step, tree.parent.get(outer))
        ):
            break
        if isinstance(outer, cst.BaseCompoundStatement):
            found = tree.statement(outer)
    return Place(found or step.call, _over(script, step, first))


def sharing(script: Script, step: Step) -> list[Step]:
    """The steps one reduction serves: `if amp: scaler.step(opt)` / `else: opt.step()` after one clip; with the step."""
    own = place(script, step).before
    return [
        other
        for other in script.loops.steps
        if other.function is step.function
        and not other.migrated
        and other.optimizer.deep_equals(step.optimizer)
        and place(script, other).before is own
    ]


def _same_guard(step: Step, node: cst.CSTNode | None) -> bool:
    """`if (i + 1) % n == 0: clip` apart from `if (i + 1) % n == 0: step`."""
    return (
        step.guard is not None
        and isinstance(node, cst.If)
        and node is not step.guard
        and node.test.deep_equals(step.guard.test)
    )


def _over(script: Script, step: Step, first: cst.CSTNode) -> cst.For | None:
    """The loop over optimizers that holds the step but not the place of the reduction."""
    for outer in script.tree.ancestors(step.call) if step.over else ():
        if outer is step.loop or outer is step.function:
            break
        if isinstance(outer, cst.For) and any(b.node is outer for b in script.names.bindings(step.optimizer)):
            return None if script.tree.contains(outer, first) else outer
    return None
