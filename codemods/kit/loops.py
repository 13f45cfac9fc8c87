"""The structure of training: where gradients are computed, where the optimizer steps, which loop repeats it over what."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from codemods.kit.names import Names, argument
from codemods.kit.roles import Role, Roles, Value
from codemods.kit.tree import Tree

CLIPS = ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_", "torch.nn.utils.clip_grad_norm",
         "torch.nn.utils.clip_grad_value")  # fmt: skip
MARKS = ("torch_xla.core.xla_model.mark_step", "torch_xla.sync", "torch_xla.step")
XLA_STEP = "torch_xla.core.xla_model.optimizer_step"
XLA_REDUCES = ("torch_xla.core.xla_model.reduce_gradients", "torch_xla.core.xla_model._fetch_gradients")

Loop = cst.For | cst.While


@dataclass(eq=False)
class Backward:
    """One `backward()` of a loss."""

    call: cst.Call
    loss: cst.BaseExpression | None
    """The tensor differentiated, without `scaler.scale(...)`."""
    scaler: cst.BaseExpression | None
    """The scaler of `scaler.scale(loss).backward()`."""
    function: cst.FunctionDef | None
    loop: Loop | None


@dataclass(eq=False)
class Step:
    """One place where an optimizer updates its parameters."""

    call: cst.Call
    optimizer: cst.BaseExpression
    """The expression of the optimizer: receiver of `.step()`, or argument of `scaler.step(...)`."""
    value: Value
    scaler: cst.BaseExpression | None
    """The scaler that steps it, if one does."""
    closure: cst.BaseExpression | None
    function: cst.FunctionDef | None
    loop: Loop | None
    """The loop over batches that repeats it, in the same function."""
    guard: cst.If | None
    """The `if` between that loop and the step which leaves out the backward: gradients are accumulated."""
    migrated: bool
    """Already `xm.optimizer_step(...)`, or an `optimizer.step()` that follows a reduction of its own."""
    backwards: list[Backward] = field(default_factory=list)
    """The backwards of the same function that feed it, in source order."""
    clips: list[cst.Call] = field(default_factory=list)
    """Gradient clipping between the last backward and the step."""
    unscales: list[cst.Call] = field(default_factory=list)
    """`scaler.unscale_(optimizer)` of this optimizer in the same function."""


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
    epochs: Loop | None
    """The loop around it in the same function."""
    marks: list[cst.Call]
    """Calls in its body that already execute the graph (`xm.mark_step`, `torch_xla.sync`, `barrier=True`)."""

    @property
    def trains(self) -> bool:
        return bool(self.steps or self.backwards)

    @property
    def on_device_loader(self) -> bool:
        return self.loader is not None and "device loader" in self.loader.wrapped


class Loops:
    """Steps, backwards and batch loops of a script."""

    def __init__(self, tree: Tree, names: Names, roles: Roles) -> None:
        self.tree, self.names, self.roles = tree, names, roles
        self.backwards = [found for call in tree.all(cst.Call) if (found := self._backward(call))]
        self.backwards.sort(key=lambda backward: tree.order[backward.call])
        self.steps = [found for call in tree.all(cst.Call) if (found := self._step(call))]
        self.steps.sort(key=lambda step: tree.order[step.call])
        for step in self.steps:
            self._relate(step)
        self.batch_loops = self._batch_loops()

    def train_loops(self) -> list[BatchLoop]:
        return [loop for loop in self.batch_loops if loop.trains]

    def evaluation_loops(self) -> list[BatchLoop]:
        """Loops over a data loader that only run the model."""
        return [loop for loop in self.batch_loops if not loop.trains]

    # --- backwards and steps ------------------------------------------------------------------------------------

    def _backward(self, call: cst.Call) -> Backward | None:
        func = call.func
        loss: cst.BaseExpression | None
        scaler: cst.BaseExpression | None = None
        if self.names.qualified(func) == "torch.autograd.backward":
            found = argument(call, 0, "tensors")
            loss = found.value if found else None
        elif isinstance(func, cst.Attribute) and func.attr.value == "backward":
            loss = func.value
            owner = self.roles.values(loss)
            if any(value.role is Role.OTHER for value in owner) or self.names.qualified(loss):
                return None  # an object of the script's own, or a module such as torch.autograd
            if any(value.role is Role.OPTIMIZER for value in owner):
                loss = call.args[0].value if call.args else None  # apex FP16_Optimizer.backward(loss)
            if (
                isinstance(loss, cst.Call)
                and isinstance(loss.func, cst.Attribute)
                and loss.func.attr.value == "scale"
                and self.roles.is_a(loss.func.value, Role.SCALER)
            ):
                scaler = loss.func.value
                loss = loss.args[0].value if loss.args else None
        else:
            return None
        return Backward(call, loss, scaler, self.tree.function(call), self.tree.loop(call))

    def _step(self, call: cst.Call) -> Step | None:
        func = call.func
        optimizer: cst.BaseExpression | None = None
        scaler: cst.BaseExpression | None = None
        closure: cst.BaseExpression | None = None
        migrated = False
        if self.names.qualified(func) == XLA_STEP:
            found = argument(call, 0, "optimizer")
            optimizer, migrated = (found.value if found else None), True
        elif isinstance(func, cst.Attribute) and func.attr.value == "step":
            if self.roles.is_a(func.value, Role.OPTIMIZER):
                optimizer = func.value
                passed = argument(call, 0, "closure")
                closure = passed.value if passed else None
            elif self.roles.is_a(func.value, Role.SCALER) and call.args:
                optimizer, scaler = call.args[0].value, func.value
        if optimizer is None:
            return None
        value = self.roles.value(optimizer, Role.OPTIMIZER) or Value(
            Role.OPTIMIZER, "parameter", call, (f"stepped by a scaler at line {self.tree.statement_line(call)}",)
        )
        return Step(call, optimizer, value, scaler, closure, self.tree.function(call), None, None, migrated)

    def _relate(self, step: Step) -> None:
        tree = self.tree
        same = [found for found in self.backwards if found.function is step.function]
        step.loop = tree.loop(step.call)
        # `for opt in optimizers: opt.step()`: the loop over batches is the one that holds the backward too.
        while step.loop is not None and same and not any(tree.contains(step.loop, found.call) for found in same):
            outer = tree.loop(step.loop)
            if outer is None:
                break
            step.loop = outer
        inside = [found for found in same if step.loop is None or tree.contains(step.loop, found.call)]
        before = [found for found in inside if tree.before(found.call, step.call)]
        step.backwards = before or inside
        if step.loop is not None and step.backwards:
            step.guard = self._guard(step)
        last = step.backwards[-1].call if step.backwards else None
        step.clips = [
            call
            for call in self.names.calls(*CLIPS)
            if tree.function(call) is step.function
            and tree.before(call, step.call)
            and (last is None or tree.before(last, call))
        ]
        step.unscales = [
            call
            for call in tree.all(cst.Call)
            if isinstance(call.func, cst.Attribute)
            and call.func.attr.value == "unscale_"
            and tree.function(call) is step.function
            and self.roles.is_a(call.func.value, Role.SCALER)
            and call.args
            and call.args[0].value.deep_equals(step.optimizer)
        ]
        reduces = [call for call in self.names.calls(*XLA_REDUCES) if tree.function(call) is step.function]
        if any(tree.before(call, step.call) for call in reduces):
            step.migrated = True

    def _guard(self, step: Step) -> cst.If | None:
        """The outermost `if` inside the batch loop that holds the step but none of its backwards."""
        found: cst.If | None = None
        for outer in self.tree.ancestors(step.call):
            if outer is step.loop:
                break
            if isinstance(outer, cst.If) and not any(
                self.tree.contains(outer, backward.call) for backward in step.backwards
            ):
                found = outer
        return found

    # --- loops --------------------------------------------------------------------------------------------------

    def _batch_loops(self) -> list[BatchLoop]:
        found: dict[Loop, BatchLoop] = {}
        for loop in (*self.tree.all(cst.For), *self.tree.all(cst.While)):
            iterable = loop.iter if isinstance(loop, cst.For) else None
            loader = self.roles.loader(iterable) if iterable is not None else None
            if loader is None:
                loader = self._nexted(loop)
            steps = [step for step in self.steps if step.loop is loop]
            backwards = [backward for backward in self.backwards if backward.loop is loop and not any(
                backward in step.backwards for step in self.steps)]  # fmt: skip
            steps += self._called_steps(loop)
            if not steps and not backwards and loader is None:
                continue
            found[loop] = BatchLoop(
                loop, self.tree.function(loop), iterable, loader, steps, backwards, self.tree.loop(loop),
                self._marks(loop),
            )  # fmt: skip
        loops = list(found.values())
        # A loop around a batch loop is the epoch loop, not a batch loop of its own, unless it has a loader itself.
        inner = {outer for loop in loops for outer in self.tree.ancestors(loop.loop) if outer in found}
        kept = [loop for loop in loops if loop.loop not in inner or loop.loader is not None or self._owns(loop)]
        return sorted(kept, key=lambda loop: self.tree.order[loop.loop])

    def _owns(self, loop: BatchLoop) -> bool:
        return any(step.loop is loop.loop for step in loop.steps) or any(b.loop is loop.loop for b in loop.backwards)

    def _nexted(self, loop: Loop) -> Value | None:
        """The loader of `batch = next(it)` in the body of `for i in range(n)` or `while`."""
        for call in self.names.calls("builtins.next"):
            if call.args and self.tree.loop(call) is loop:
                value = self.roles.loader(call.args[0].value)
                if value is not None:
                    return value
        return None

    def _called_steps(self, loop: Loop) -> list[Step]:
        """Steps in functions of this module that the loop's own body calls, and which have no loop themselves."""
        helpers = {step.function for step in self.steps if step.loop is None and step.function is not None}
        if not helpers:
            return []
        found: list[Step] = []
        for function in helpers:
            if any(self.tree.loop(call) is loop for call in self.roles.call_sites(function)):
                found += [step for step in self.steps if step.function is function]
        return found

    def _marks(self, loop: Loop) -> list[cst.Call]:
        marks = [call for call in self.names.calls(*MARKS) if self.tree.loop(call) is loop]
        for call in self.names.calls(XLA_STEP):
            barrier = argument(call, 1, "barrier")
            if barrier is not None and self.names.tree.contains(loop, call):
                marks.append(call)
        return marks
