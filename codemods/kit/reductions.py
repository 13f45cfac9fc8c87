"""Where the gradients of a step are averaged over the processes: once, after the last backward and before anything
looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit import build
from codemods.kit.gradients import last_name, spellings
from codemods.kit.names import argument
from codemods.kit.phrases import Idiom
from codemods.kit.steps import Step, counts, exclusive
from codemods.kit.tree import walk

if TYPE_CHECKING:
    from codemods.kit.edits import Edit
    from codemods.kit.script import Script


@dataclass(frozen=True)
class Place:
    """Where a reduction goes."""

    node: cst.CSTNode
    """The statement it stands beside."""
    after: bool = False
    """After the statement, a backward; else before it."""
    over: cst.For | None = None
    """The loop over optimizers it has to repeat, when it stands before that loop and not in it."""
    test: cst.BaseExpression | None = None
    """The condition the step stands under because there may be no such optimizer."""

    def wrap(self, statements: Sequence[cst.BaseStatement]) -> list[cst.BaseStatement]:
        """The statements, repeated for every optimizer where that is needed."""
        if self.test is not None:
            chosen = build.statements(f"if {build.code_of(self.test)}:\n    pass\n")[0]
            assert isinstance(chosen, cst.If)
            return [chosen.with_changes(body=cst.IndentedBlock(list(statements)))]
        if self.over is None:
            return list(statements)
        header = f"for {build.code_of(self.over.target)} in {build.code_of(self.over.iter)}:\n    pass\n"
        loop = build.statements(header)[0]
        assert isinstance(loop, cst.For)
        return [loop.with_changes(body=cst.IndentedBlock(list(statements)))]

    def put(self, edit: Edit, idiom: Idiom, optimizer: cst.BaseExpression, **names: str) -> None:
        """Ask for the reduction at this place."""
        if edit.allowed:
            statements = self.wrap(edit.say_statements(idiom, optimizer=optimizer, **names))
            (edit.after if self.after else edit.before)(self.node, statements)


def may_be_several(script: Script, step: Step) -> bool:
    """Whether a step may run in several processes: the script starts them, or the optimizer comes from elsewhere."""
    return script.distributed or step.value.of == "parameter" or isinstance(step.value.origin, cst.Param | cst.ClassDef)


def spelled(script: Script, optimizer: cst.BaseExpression, place: cst.CSTNode) -> cst.BaseExpression:
    """An optimizer as it can be named at a place, though `chosen = optimizer` stands between it and `chosen.step()`."""
    names = script.names
    for name in spellings(names, optimizer):
        bindings = names.bindings(name) if isinstance(name, cst.Name) else []
        if not bindings or not all(script.tree.before(place, binding.node) for binding in bindings):
            return name
    return optimizer


def names_beside(script: Script, node: cst.CSTNode) -> dict[str, str]:
    """Names for a loop over an optimizer's parameters that mean nothing else where a node stands."""
    scope = script.names.scope(node)
    return {
        hole: name if script.names.find(name, scope) is None else f"{name}_"
        for hole, name in (("group", "group"), ("parameter", "p"))
    }


def before_others(script: Script, step: Step) -> list[Place]:
    """Where gradients are averaged of which those of a step's optimizer are made: before anything looks at them."""
    return _places(script, step, [*step.others, step.call])


def averaging(script: Script, used_by: cst.CSTNode, uses: Sequence[cst.CSTNode]) -> Idiom:
    """How the gradients that a step, or a call that steps, uses are averaged before these nodes look at them."""
    clipped = any(
        _is_detached(script, use) if isinstance(use, cst.Attribute) else not _clips_values(script, use) for use in uses
    )
    return Idiom.REDUCE_ADDED_UP if clipped and _adds_up(script, used_by) else Idiom.REDUCE_GRADIENTS


def _is_detached(script: Script, read: cst.Attribute) -> bool:
    """`p.grad.detach()`"""
    around = script.tree.parent.get(read)
    return isinstance(around, cst.Attribute) and around.attr.value == "detach"


def _clips_values(script: Script, use: cst.CSTNode) -> bool:
    return isinstance(use, cst.Call) and (script.qualified(use.func) or "").startswith("torch.nn.utils.clip_grad_value")


def _adds_up(script: Script, node: cst.CSTNode, seen: frozenset[cst.CSTNode] = frozenset()) -> bool:
    """Whether gradients that are used here may be sums of several backwards, which are added up in place: a condition
    leaves the backward out, several backwards or a loop of them come before, gradients are set to zero and not to None.
    """
    tree, function = script.tree, script.tree.function(node)
    own = [found.call for found in script.loops.backwards if found.function is function]
    for loop in (outer for outer in tree.ancestors(node) if isinstance(outer, cst.For | cst.While)):
        inside = [call for call in own if tree.contains(loop, call)]
        if inside:
            own = inside  # those of the loop over batches
            break
    if _keeps_gradients(script) or _is_left_out(script, node, own):
        return True
    since = _since_cleared(script, node, [call for call in own if tree.before(call, node)])
    several = any(_follows(script, one, other) for one in since for other in since)
    if several or any((each := tree.loop(call)) is not None and not tree.contains(each, node) for call in since):
        return True
    if own or function is None or function in seen:
        return False
    return any(_adds_up(script, call, seen | {function}) for call in script.roles.call_sites(function))


def _is_left_out(script: Script, node: cst.CSTNode, backwards: Sequence[cst.Call]) -> bool:
    """Whether a condition around a node leaves out the backwards of its function; else it has to count iterations."""
    tree = script.tree
    steps = [step.call for step in script.loops.steps]
    for outer in tree.ancestors(node):
        if isinstance(outer, cst.For | cst.While | cst.FunctionDef):
            return False
        if not isinstance(outer, cst.If) or any(exclusive(tree, node, step) for step in steps):
            continue
        if not any(tree.contains(outer, call) for call in backwards) if backwards else counts(outer.test):
            return True
    return False


def _since_cleared(script: Script, node: cst.CSTNode, backwards: Sequence[cst.Call]) -> list[cst.Call]:
    """The backwards that come after the gradients were cleared last, before a node."""
    tree = script.tree
    cleared = [
        call
        for call in tree.all(cst.Call)
        if last_name(call) == "zero_grad" and tree.function(call) is tree.function(node) and tree.before(call, node)
    ]
    return [call for call in backwards if not any(tree.before(call, clearing) for clearing in cleared)]


def _keeps_gradients(script: Script) -> bool:
    """`zero_grad(set_to_none=False)`: the next backward adds to zeros."""
    given = (argument(c, 0, "set_to_none") for c in script.tree.all(cst.Call) if last_name(c) == "zero_grad")
    return any(isinstance(arg.value, cst.Name) and arg.value.value == "False" for arg in given if arg is not None)


def places(script: Script, step: Step, *, scaled: bool) -> list[Place]:
    """Where the reduction of a step goes: before the first clip, unscaling or read of its gradients, else before the
    step. Under accumulation that is inside the guard of the step, unless the script clips in every micro-batch.

    When the first of these shares a branch with its backward (`if amp: ... backward(); unscale_`, `else: backward()`),
    it goes after the backward of each branch. `scaled`: the target unscales.
    """
    found = _places(script, step, [*step.uses, *step.unscales, step.call])
    if found[0].after and not scaled:
        found = _places(script, step, [*step.uses, step.call])  # the branch and its unscale_ go
    return found


def _places(script: Script, step: Step, users: list[cst.CSTNode]) -> list[Place]:
    tree = script.tree
    first = min(users, key=tree.order.__getitem__)
    found: cst.CSTNode | None = tree.small_statement(first)
    for outer in tree.ancestors(first):
        if tree.contains(outer, step.call) or (
            isinstance(outer, cst.IndentedBlock) and _same_guard(step, tree.parent.get(outer))
        ):
            break
        if isinstance(outer, cst.BaseCompoundStatement):
            found = tree.statement(outer)
    if found is None:
        return [Place(step.call)]
    inside = [backward.call for backward in step.backwards if tree.contains(found, backward.call)]
    last = [call for call in inside if not any(_follows(script, call, other) for other in inside)]
    test = _exists(script, step, found)
    return [Place(call, after=True, test=test) for call in last] or [
        Place(found, over=_over(script, step, first), test=test)
    ]


def _follows(script: Script, first: cst.CSTNode, second: cst.CSTNode) -> bool:
    return script.tree.before(first, second) and not exclusive(script.tree, first, second)


def sharing(script: Script, step: Step, *, scaled: bool) -> list[Step]:
    """The steps one reduction serves: `if amp: scaler.step(opt)` / `else: opt.step()` after one clip; with the step."""
    own = places(script, step, scaled=scaled)[0].node
    return [
        other
        for other in script.loops.steps
        if other.function is step.function
        and not other.migrated
        and other.optimizer.deep_equals(step.optimizer)
        and places(script, other, scaled=scaled)[0].node is own
    ]


def _same_guard(step: Step, node: cst.CSTNode | None) -> bool:
    """`if (i + 1) % n == 0: clip` apart from `if (i + 1) % n == 0: step`."""
    return (
        step.guard is not None
        and isinstance(node, cst.If)
        and node is not step.guard
        and node.test.deep_equals(step.guard.test)
    )


def _exists(script: Script, step: Step, place: cst.CSTNode) -> cst.BaseExpression | None:
    """`if optimizer_sparse:`, `if opt is not None:` around the step and not around the place, or the switch under which
    alone the optimizer was built: `if args.use_optimizer:`."""
    for outer in script.tree.ancestors(step.call):
        if script.tree.contains(outer, place) or outer is place:
            return None
        if isinstance(outer, cst.If) and script.tree.contains(outer.body, step.call):
            asked = outer.test.left if isinstance(outer.test, cst.Comparison) else outer.test
            if asked.deep_equals(step.optimizer) or _is_built_under(script, step, outer.test):
                return outer.test
    return None


def _is_built_under(script: Script, step: Step, test: cst.BaseExpression) -> bool:
    """Whether the optimizer's name is bound under this condition only, and asking it again gives the same."""
    if not step.over or any(isinstance(node, cst.Call | cst.NamedExpr) for node in walk(test)):
        return False
    bindings = script.names.bindings(step.optimizer)
    return bool(bindings) and all(
        any(
            isinstance(outer, cst.If)
            and outer.test.deep_equals(test)
            and script.tree.contains(outer.body, binding.node)
            and not script.tree.contains(outer, step.call)
            for outer in script.tree.ancestors(binding.node)
        )
        for binding in bindings
    )


def _over(script: Script, step: Step, first: cst.CSTNode) -> cst.For | None:
    """The loop over optimizers that holds the step but not the place of the reduction."""
    for outer in script.tree.ancestors(step.call) if step.over else ():
        if outer is step.loop or outer is step.function:
            break
        if isinstance(outer, cst.For) and any(b.node is outer for b in script.names.bindings(step.optimizer)):
            return None if script.tree.contains(outer, first) else outer
    return None
