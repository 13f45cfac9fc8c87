"""The structure of training: which loop repeats the steps, over what, and which loops only run the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import libcst as cst

from codemods.kit.launch import joins_xla_group
from codemods.kit.library_steps import LibraryStep, library_steps
from codemods.kit.links import Links
from codemods.kit.names import Names, argument
from codemods.kit.roles import Role, Roles, Value
from codemods.kit.runs import Runs
from codemods.kit.steps import CLIPS, XLA_REDUCES, XLA_STEP, Backward, Loop, Step, Steps
from codemods.kit.tree import Tree

__all__ = ["CLIPS", "MARKS", "XLA_REDUCES", "XLA_STEP", "Backward", "BatchLoop", "Loop", "Loops", "Step"]

MARKS = ("torch_xla.core.xla_model.mark_step", "torch_xla.sync", "torch_xla.step")


@dataclass(eq=False)
class BatchLoop:
    """A loop over batches."""

    loop: Loop
    function: cst.FunctionDef | None
    iterable: cst.BaseExpression | None
    """What it goes through, as written; None for `while`."""
    loader: Value | None
    """The data loader behind it, when there is one."""
    steps: list[Step]
    """Optimizer steps repeated by it: in its body, or in a function of this module called from its body."""
    backwards: list[Backward]
    """Backwards in its body that no step in its body uses."""
    epochs: Loop | None
    """The loop around it in the same function."""
    marks: list[cst.Call]
    """Calls in its body, or in functions it calls, that already execute the graph (`xm.mark_step`, `torch_xla.sync`,
    `barrier=True`)."""
    sites: list[cst.Call] = field(default_factory=list)
    """Where its body steps: the step itself, or the call of the function that does; in source order."""
    handed: list[cst.Call] = field(default_factory=list)
    """Calls in its body of functions in other files that step."""

    @property
    def trains(self) -> bool:
        return bool(self.steps or self.backwards or self.handed)

    @property
    def on_device_loader(self) -> bool:
        return self.loader is not None and "device loader" in self.loader.wrapped


class Loops:
    """Steps, backwards and batch loops of a script."""

    def __init__(self, tree: Tree, names: Names, roles: Roles, links: Links) -> None:
        self.tree, self.names, self.roles = tree, names, roles
        self.links = links
        read = Steps(tree, names, roles)
        self.first_use = read.first_use
        self.other_steps: list[tuple[cst.Call, cst.BaseExpression]]
        """Calls of other methods of an optimizer that step, with the optimizer."""
        self.backwards, self.steps, self.other_steps = read.backwards, read.steps, read.other_steps
        for step in self.steps:
            known = step.function is not None and tree.qualname(step.function) in self.links.averaged
            step.averaged = known or bool(self._clipped_before(step))

    @cached_property
    def stepping(self) -> dict[cst.FunctionDef, list[Step]]:
        """Functions that step once for whoever calls them."""
        return self._callers([(s.function, s) for s in self.steps if s.loop is None])

    @property
    def managed(self) -> str:
        """The library that steps for the script and knows XLA itself, or an empty string."""
        if self.names.calls("accelerate.Accelerator"):
            return "accelerate"
        if self.names.calls("torch_xla.distributed.fsdp.XlaFullyShardedDataParallel"):
            return "torch_xla FSDP"  # reduces in its backward
        if self.names.calls("torch_xla.distributed.zero_redundancy_optimizer.ZeroRedundancyOptimizer"):
            return "torch_xla ZeRO"  # reduces in its step
        if joins_xla_group(self.names):
            return "a process group of torch_xla's"  # DistributedDataParallel over it reduces in its backward
        if any(True for _ in self.names.uses("torch_xla.compile")):
            return "torch_xla.compile"  # executes the step it is given
        return ""

    def train_loops(self) -> list[BatchLoop]:
        return [loop for loop in self.batch_loops if loop.trains]

    def evaluation_loops(self) -> list[BatchLoop]:
        """Loops over batches that only run the model."""
        return [loop for loop in self.batch_loops if not loop.trains]

    def loops_of(self, step: Step) -> list[BatchLoop]:
        """The batch loops that repeat a step: its own, or those that call its function."""
        return [loop for loop in self.batch_loops if step in loop.steps]

    # --- functions that act for their caller --------------------------------------------------------------------

    def _callers(self, starts: list[tuple[cst.FunctionDef | None, Step]]) -> dict[cst.FunctionDef, list[Step]]:
        """Functions that step once for whoever calls them: those of the steps outside any loop, and those that call
        such a function outside any loop."""
        found: dict[cst.FunctionDef, list[Step]] = {}
        queue = list(starts)
        while queue:
            function, step = queue.pop(0)
            if function is None or step in found.get(function, ()):
                continue
            found.setdefault(function, []).append(step)
            for call in self.roles.call_sites(function):
                if self.tree.loop(call) is None:
                    queue.append((self.tree.function(call), step))
        return found

    # --- loops --------------------------------------------------------------------------------------------------

    @cached_property
    def batch_loops(self) -> list[BatchLoop]:
        """The loops over batches, in source order."""
        found: dict[Loop, BatchLoop] = {}
        sites: dict[Loop, list[tuple[cst.Call, list[Step]]]] = {}
        for function, steps in self.stepping.items():
            for call in self.roles.call_sites(function):
                around = self.tree.loop(call)
                if around is not None:
                    sites.setdefault(around, []).append((call, steps))
        fed = {backward for step in self.steps for backward in step.backwards}
        runs = Runs(self.tree, self.names, self.roles)
        every: list[Loop] = [*self.tree.all(cst.For), *self.tree.all(cst.While)]
        for loop in every:
            iterable = loop.iter if isinstance(loop, cst.For) else None
            loader = self.roles.loader(iterable) if iterable is not None else None
            if loader is None:
                loader = self._nexted(loop)
            own = [step for step in self.steps if step.loop is loop]
            direct = [step.call for step in own]
            direct += [call for call, _ in self.other_steps if self.tree.loop(call) is loop]
            handed = [call for call in self._handed if self.tree.loop(call) is loop]
            direct += handed
            called = sites.get(loop, [])
            steps = own + [step for _, group in called for step in group if step not in own]
            backwards = [b for b in self.backwards if b.loop is loop and b not in fed]
            if not (steps or backwards or handed or loader) and not runs.repeats_a_model(loop):
                continue
            found[loop] = BatchLoop(
                loop, self.tree.function(loop), iterable, loader, list(dict.fromkeys(steps)), backwards,
                self.tree.loop(loop), self._marks(loop),
                sorted([*direct, *(call for call, _ in called)], key=self.tree.order.__getitem__), handed,
            )  # fmt: skip
        loops = list(found.values())
        # A loop around a batch loop is the epoch loop, not a batch loop of its own, unless it has a loader itself.
        inner = {outer for loop in loops for outer in self.tree.ancestors(loop.loop) if outer in found}
        kept = [loop for loop in loops if loop.loop not in inner or loop.loader is not None or self._owns(loop)]
        return sorted(kept, key=lambda loop: self.tree.order[loop.loop])

    @cached_property
    def _handed(self) -> list[cst.Call]:
        """Calls of functions that step, which only the project as a whole shows: they are in other files, or held by
        something that other files make."""
        library = [step.call for step in self.library_steps]
        numbered = self.tree.calls_numbered(self.links.steps)
        if not numbered:
            return library
        seen = {call for function in self.stepping for call in self.roles.call_sites(function)}
        return library + [call for call in numbered if call not in seen and call not in library]

    @cached_property
    def library_steps(self) -> list[LibraryStep]:
        """Calls of other libraries' objects that do the backward and the step."""
        return list(library_steps(self.tree, self.roles))

    @property
    def scaled_optimizers(self) -> list[cst.BaseExpression]:
        """The optimizers that a scaler steps, where it does."""
        given = [step.optimizer for step in self.steps if step.scaler is not None]
        passed = (argument(step.call, 1, "optimizer") for step in self.library_steps)
        return given + [arg.value for arg in passed if arg is not None]

    @property
    def averaging(self) -> list[tuple[cst.Call, list[cst.BaseExpression]]]:
        """Calls that step elsewhere after their function has clipped the gradients, with the optimizers as this
        function can spell them."""
        numbers = self.links.averages
        if not numbers:
            return self._clipped_here
        order, function = self.tree.order, self.tree.function
        reducing = {function(call) for call in self.names.calls(*XLA_REDUCES)}  # those are migrated already
        calls = [call for call in self.tree.calls_numbered(numbers) if function(call) not in reducing]
        return [(call, list(_optimizers_of(call, numbers[order[call]]))) for call in calls]

    @property
    def _clipped_here(self) -> list[tuple[cst.Call, list[cst.BaseExpression]]]:
        """The same for a file by itself."""
        found: dict[cst.Call, list[cst.BaseExpression]] = {}
        reducing = {self.tree.function(call) for call in self.names.calls(*XLA_REDUCES)}  # those are migrated already
        for step in self.steps:
            for call, optimizer in self._clipped_before(step):
                if self.tree.function(call) in reducing:
                    continue
                found.setdefault(call, []).append(optimizer)
        return list(found.items())

    def _clipped_before(self, step: Step) -> list[tuple[cst.Call, cst.BaseExpression]]:
        """All calls of the function of a step with the optimizer as each spells it, if all of them clip before."""
        function = step.function
        if not self.links.alone or function is None or step.uses or step.migrated or step.closure is not None:
            return []
        if any(backward.function is function for backward in self.backwards):
            return []
        found: list[tuple[cst.Call, cst.BaseExpression]] = []
        for call in self.roles.call_sites(function):
            optimizer = self._as_called(step, function, call)
            if optimizer is None or self.first_use(call) is None:
                return []
            found.append((call, optimizer))
        return found

    def _as_called(self, step: Step, function: cst.FunctionDef, call: cst.Call) -> cst.BaseExpression | None:
        """The optimizer of a step as a call of its function can name it."""
        optimizer = step.optimizer
        if isinstance(optimizer, cst.Attribute):
            on_self = isinstance(optimizer.value, cst.Name) and optimizer.value.value == "self"
            owner = call.func.value if isinstance(call.func, cst.Attribute) else None
            if on_self and isinstance(owner, cst.Name | cst.Attribute):
                return cst.Attribute(owner, optimizer.attr)
            return self._given_to(owner, optimizer.attr.value) if on_self and isinstance(owner, cst.Call) else None
        bindings = self.names.bindings(optimizer) if isinstance(optimizer, cst.Name) else []
        if len(bindings) != 1:
            return None
        if isinstance(bindings[0].node, cst.Param):
            passed = self.roles.parameter_argument(function, bindings[0].node, call)
            return passed.value if passed is not None else None
        there = self.names.find(step.over, self.names.scope(call))
        return optimizer if there is not None and there[1] == bindings else None

    def _given_to(self, made: cst.Call, attribute: str) -> cst.BaseExpression | None:
        """What a construction, `Stepper(optimizer)`, is given for an attribute."""
        class_ = self.names.local_class(made.func)
        bindings = self.names.attributes.get((class_, attribute), []) if class_ is not None else []
        held = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assign" else None
        params = self.names.bindings(held) if isinstance(held, cst.Name) else []
        init = self.tree.function(bindings[0].node) if params and isinstance(params[0].node, cst.Param) else None
        if init is None or len(params) != 1 or not isinstance(params[0].node, cst.Param):
            return None
        passed = self.roles.parameter_argument(init, params[0].node, made)
        return passed.value if passed is not None else None

    def _owns(self, loop: BatchLoop) -> bool:
        return bool(loop.sites or loop.backwards)

    def _nexted(self, loop: Loop) -> Value | None:
        """The loader of `batch = next(it)` in the body of `for i in range(n)` or `while`."""
        found = (self.roles.loader(drawn) for _, drawn in draws(self.tree, self.names, self.roles, loop))
        return next((value for value in found if value is not None), None)

    # --- what executes the graph already ------------------------------------------------------------------------

    def _marks(self, loop: Loop) -> list[cst.Call]:
        found = [call for call in self.executing if self.tree.loop(call) is loop]
        for function in self._executing_functions:
            found += [call for call in self.roles.call_sites(function) if self.tree.loop(call) is loop]
        return found + [call for call in self._barriers if self.tree.contains(loop, call) and call not in found]

    @property
    def _barriers(self) -> list[cst.Call]:
        """`xm.optimizer_step(optimizer, barrier=True)`"""
        found = []
        for call in self.names.calls(XLA_STEP):
            barrier = argument(call, 1, "barrier")
            if barrier is not None and not (isinstance(barrier.value, cst.Name) and barrier.value.value == "False"):
                found.append(call)
        return found

    @property
    def executing(self) -> list[cst.Call]:
        """Calls that execute the graph."""
        return [*self.names.calls(*MARKS), *self._barriers]

    @property
    def _executing_functions(self) -> set[cst.FunctionDef]:
        """Functions of this module that execute the graph outside any loop of theirs."""
        found = (self.tree.function(call) for call in self.executing if self.tree.loop(call) is None)
        return {function for function in found if function is not None}


def _optimizers_of(call: cst.Call, optimizers: tuple[str, ...]) -> Iterator[cst.BaseExpression]:
    """Arguments of a call, by keyword or "#position", and attributes of its object, ".inner"."""
    for each in optimizers:
        if each.startswith(".") and isinstance(call.func, cst.Attribute):
            yield cst.Attribute(call.func.value, cst.Name(each[1:]))
        elif each.startswith("#"):
            positional = [arg.value for arg in call.args if arg.keyword is None]
            yield positional[int(each[1:])]
        else:
            yield from (arg.value for arg in call.args if arg.keyword is not None and arg.keyword.value == each)


def draws(tree: Tree, names: Names, roles: Roles, loop: Loop) -> list[tuple[cst.Call, cst.BaseExpression]]:
    """The `next(it)`, `it.next()` and `it.__next__()` in the body of a loop, each with what it draws from."""
    found = [(call, call.args[0].value) for call in names.calls("builtins.next") if call.args]
    for call in tree.all(cst.Call) if "next" in tree.source else ():
        func = call.func
        if isinstance(func, cst.Attribute) and func.attr.value in ("next", "__next__") and not call.args:
            if roles.is_a(func.value, Role.ITERATOR):
                found.append((call, func.value))
    return [(call, drawn) for call, drawn in found if tree.loop(call) is loop]
