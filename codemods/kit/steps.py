"""Where gradients are computed, where they are looked at, and where an optimizer uses them."""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from codemods.kit.gradients import Gradients, last_name, spellings
from codemods.kit.names import Names, argument
from codemods.kit.roles import Role, Roles, Value
from codemods.kit.tree import Tree, children

CLIPS = ("torch.nn.utils.clip_grad_norm_", "torch.nn.utils.clip_grad_value_", "torch.nn.utils.clip_grad_norm",
         "torch.nn.utils.clip_grad_value")  # fmt: skip
XLA_STEP = "torch_xla.core.xla_model.optimizer_step"
XLA_ALL_REDUCE = "torch_xla.core.xla_model.all_reduce"
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
    uses: list[cst.CSTNode] = field(default_factory=list)
    """Everything between the last backward and the step that looks at the gradients: the clips, calls of functions
    that clip, reads of `.grad`. In several processes they have to see the averaged gradients. Averaging that the script
    does itself is none of them: where it stays, the mean of what is equal already changes nothing."""
    others: list[cst.CSTNode] = field(default_factory=list)
    """Those of `uses` that look at gradients of which the optimizer's are made only later."""
    averaged: bool = False
    """Whether all that call its function average the gradients before, because they clip or read them."""
    unscales: list[cst.Call] = field(default_factory=list)
    """`scaler.unscale_(optimizer)` of this optimizer in the same function."""

    @property
    def over(self) -> str:
        """The text of the optimizer's expression when it is a plain name, else an empty string."""
        return self.optimizer.value if isinstance(self.optimizer, cst.Name) else ""


class Steps:
    """Backwards and steps of a script, and how they belong together."""

    def __init__(self, tree: Tree, names: Names, roles: Roles) -> None:
        self.tree, self.names, self.roles = tree, names, roles
        calls = tree.all(cst.Call)
        self.backwards = [found for call in calls if last_name(call) == "backward" and (found := self._backward(call))]
        spelled = ("step", "optimizer_step")
        stepping = [call for call in calls if last_name(call) in spelled or roles.stepped(call)]
        self.steps = [step for call in stepping if (step := self._step(call))]
        self._unscales = [call for call in calls if last_name(call) == "unscale_"]
        self._gradients = Gradients(tree, names)
        self._looking = [call for call in calls if roles.looks_early(call) is not None]
        if self.steps:
            for step in self.steps:
                self._relate(step)

    @property
    def other_steps(self) -> list[tuple[cst.Call, cst.BaseExpression]]:
        """Calls of other methods of an optimizer that step (`first_step` of a SAM), with the optimizer."""
        found: list[tuple[cst.Call, cst.BaseExpression]] = []
        for call in self.tree.all(cst.Call):
            func = call.func
            if not isinstance(func, cst.Attribute) or not func.attr.value.endswith("_step"):
                continue
            if self.roles.is_a(func.value, Role.OPTIMIZER) and not self._implements_an_optimizer(call):
                if not self._is_reduced(func.value, self.tree.function(call)):
                    found.append((call, func.value))
        return found

    def _is_reduced(self, optimizer: cst.BaseExpression, function: cst.FunctionDef | None) -> bool:
        return any(
            call.args and call.args[0].value.deep_equals(optimizer) and self.tree.function(call) is function
            for call in self.names.calls(*XLA_REDUCES)
        )

    # --- one call -----------------------------------------------------------------------------------------------

    def _backward(self, call: cst.Call) -> Backward | None:
        func = call.func
        loss: cst.BaseExpression | None
        scaler: cst.BaseExpression | None = None
        if self.names.qualified(func) == "torch.autograd.backward":
            found = argument(call, 0, "tensors")
            loss = found.value if found else None
        elif isinstance(func, cst.Attribute):
            loss = func.value
            owner = self.roles.values(loss)
            own = (value for value in owner if not isinstance(value.origin, cst.BaseNumber))  # `loss = 0`, and added to
            if any(value.role is Role.OTHER for value in own) or self.names.qualified(loss):
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
        passed: cst.Arg | None = None
        migrated = False
        if self.names.qualified(func) == XLA_STEP:
            found = argument(call, 0, "optimizer")
            optimizer, migrated = (found.value if found else None), True
        elif isinstance(func, cst.Attribute) and func.attr.value == "step":
            if call.args and (self.roles.is_a(func.value, Role.SCALER) or self._is_updated(func.value, call)):
                optimizer, scaler = call.args[0].value, func.value
                passed = argument(call, 1, "closure")
            elif self.roles.is_a(func.value, Role.OPTIMIZER) and not self._implements_an_optimizer(call):
                optimizer = func.value
                passed = argument(call, 0, "closure")
        elif (name := self.roles.stepped(call)) and not call.args:
            same = (node for node in self.tree.all(cst.Name) if node.value == name)
            optimizer = next((node for node in same if self.tree.function(node) is self.tree.function(call)), None)
        if optimizer is None:
            return None
        value = self.roles.value(optimizer, Role.OPTIMIZER) or Value(
            Role.OPTIMIZER, "parameter", call, (f"stepped by a scaler at line {self.tree.statement_line(call)}",)
        )
        closure = passed.value if passed else None
        return Step(call, optimizer, value, scaler, closure, self.tree.function(call), None, None, migrated)

    def _is_updated(self, owner: cst.BaseExpression, step: cst.Call) -> bool:
        """`trainer.scaler.step(optimizer)` and `trainer.scaler.update()`: a scaler that only its use shows."""
        if not isinstance(owner, cst.Attribute) or len(step.args) != 1:
            return False
        if not self.roles.is_a(step.args[0].value, Role.OPTIMIZER):
            return False
        block = self.tree.function(step)
        return any(
            last_name(call) == "update"
            and not call.args
            and isinstance(call.func, cst.Attribute)
            and self.tree.function(call) is block
            and call.func.value.deep_equals(owner)
            for call in self.tree.all(cst.Call)
        )

    def _implements_an_optimizer(self, call: cst.Call) -> bool:
        """The inner step of an optimizer class of the script's own: who steps the outer one reduces for both."""
        class_ = self.tree.class_of(call)
        return class_ is not None and self.roles.class_role(class_) is Role.OPTIMIZER

    # --- how they belong together -------------------------------------------------------------------------------

    def _relate(self, step: Step) -> None:
        tree = self.tree
        same = [found for found in self.backwards if found.function is step.function]
        step.loop = tree.loop(step.call)
        # `for opt in optimizers: opt.step()`: the loop over batches is the one that holds the backward too.
        while step.loop is not None and not self._repeats_batches(step.loop, step, same):
            outer = tree.loop(step.loop)
            if outer is None:
                if isinstance(step.loop, cst.For) and self._runs_over(step.loop, step):
                    step.loop = None  # a helper that steps several optimizers for its caller
                break
            step.loop = outer
        inside = [found for found in same if step.loop is None or tree.contains(step.loop, found.call)]
        before = [found for found in inside if tree.before(found.call, step.call)]
        step.backwards = before or inside
        if step.loop is not None:
            step.guard = self._guard(step)
        uses = self._gradients.uses.get(step.function, ())
        step.uses = [node for node in uses if self._feeds(node, step) and not self._gradients.averages(node, step.loop)]
        step.uses += [
            call
            for call in self._looking
            if tree.function(call) is step.function and self._feeds(call, step) and call not in uses
        ]
        step.others = [node for node in step.uses if self._is_of_others(node)]
        step.clips = [call for call in self.names.calls(*CLIPS) if call in step.uses]
        step.unscales = [
            call
            for call in self._unscales
            if isinstance(call.func, cst.Attribute)
            and tree.function(call) is step.function
            and self.roles.is_a(call.func.value, Role.SCALER)
            and call.args
            and call.args[0].value.deep_equals(step.optimizer)
            and self._feeds(call, step)
        ]
        for call in self.names.calls(*XLA_REDUCES):
            passed = call.args[0].value if call.args else None
            if passed is None or tree.function(call) is not step.function or not tree.before(call, step.call):
                continue
            same_one = any(passed.deep_equals(name) for name in spellings(self.names, step.optimizer))
            if same_one and not exclusive(tree, call, step.call):
                step.migrated = True
        if any(self._precedes(call, step) for call in self.names.calls(XLA_ALL_REDUCE)):
            step.migrated = True

    def first_use(self, call: cst.Call) -> cst.CSTNode | None:
        """What looks first at the gradients that a call may step with: after the last backward before the call."""
        tree, function = self.tree, self.tree.function(call)
        between = [self._gradients.uses.get(function, ()), [b.call for b in self.backwards if b.function is function]]
        uses, backwards = (
            [node for node in nodes if tree.before(node, call) and not tree.contains(node, call)] for nodes in between
        )
        after = max((tree.order[backward] for backward in backwards), default=-1)
        found = next((node for node in uses if tree.order[node] > after and not exclusive(tree, node, call)), None)
        if found is None:
            return None
        if isinstance(found, cst.Call) and self._trains(self.names.local_function(found.func)):
            return None
        return None if self._gradients.averages(found, tree.loop(call)) else found

    def _is_of_others(self, use: cst.CSTNode, depth: int = 0) -> bool:
        """Whether what looks at gradients, itself or in a function that it calls, looks at those of others."""
        if self.roles.looks_early(use) is not None:
            return True
        function = self.names.local_function(use.func) if isinstance(use, cst.Call) else None
        inner = self._gradients.uses.get(function, ()) if function is not None and depth < 3 else ()
        return bool(inner) and all(self._is_of_others(one, depth + 1) for one in inner)

    def _precedes(self, call: cst.Call, step: Step) -> bool:
        """Whether a call that reduces gradients stands ahead of a step."""
        grads = (node for node in self.tree.inside(call, cst.Attribute) if node.attr.value == "grad")
        same = self.tree.function(call) is step.function and self.tree.before(call, step.call)
        return same and next(grads, None) is not None

    def _trains(self, function: cst.FunctionDef | None) -> bool:
        """Whether a function computes gradients itself."""
        return function is not None and any(backward.function is function for backward in self.backwards)

    def _repeats_batches(self, loop: Loop, step: Step, same: list[Backward]) -> bool:
        """Whether a loop around a step is the one over batches, and not one over optimizers."""
        if any(self.tree.contains(loop, found.call) for found in same):
            return True
        return not same and not (isinstance(loop, cst.For) and self._runs_over(loop, step))

    def _runs_over(self, loop: cst.For, step: Step) -> bool:
        """`for opt in optimizers`, `for name, opt in optimizers.items()`: the stepped name is the loop's own."""
        return bool(step.over) and any(
            binding.node is loop and binding.kind == "for" for binding in self.names.bindings(step.optimizer)
        )

    def _feeds(self, node: cst.CSTNode, step: Step) -> bool:
        """Whether a node stands between the last backward and the step."""
        tree = self.tree
        if not tree.before(node, step.call) or (step.loop is not None and not tree.contains(step.loop, node)):
            return False
        if exclusive(tree, node, step.call):
            return False
        calls = [backward.call for backward in step.backwards]
        later = [call for call in calls if tree.before(node, call) and not exclusive(tree, node, call)]
        return not later and (not calls or any(tree.before(call, node) for call in calls))

    def _guard(self, step: Step) -> cst.If | None:
        """The outermost `if` inside the batch loop that holds the step but none of its backwards."""
        found: cst.If | None = None
        for outer in self.tree.ancestors(step.call):
            if outer is step.loop:
                break
            if not isinstance(outer, cst.If) or self._steps_in_every_branch(outer):
                continue
            if step.backwards:
                if not any(self.tree.contains(outer, backward.call) for backward in step.backwards):
                    found = outer
            elif counts(outer.test):
                found = outer  # the backward is in a function called from the loop
        return found

    def _steps_in_every_branch(self, branch: cst.If) -> bool:
        """`if scaler: scaler.step(opt)` / `else: opt.step()` chooses how to step, not whether."""
        calls = [step.call for step in self.steps]
        part: cst.If | cst.Else | None = branch
        while isinstance(part, cst.If):
            body = part.body
            if not any(self.tree.contains(body, call) for call in calls):
                return False
            part = part.orelse
        return part is not None and any(self.tree.contains(part, call) for call in calls)


def exclusive(tree: Tree, first: cst.CSTNode, second: cst.CSTNode) -> bool:
    """Whether an iteration runs the first or the second, never both: one in an `if`, the other in its `else`."""
    for outer in tree.ancestors(first):
        if isinstance(outer, cst.If) and tree.contains(outer, second):
            asked = tree.contains(outer.test, first) or tree.contains(outer.test, second)
            return not asked and tree.contains(outer.body, first) is not tree.contains(outer.body, second)
    return False


def counts(test: cst.CSTNode) -> bool:
    """Whether a condition counts iterations: `(i + 1) % accumulation_steps == 0`."""
    if isinstance(test, cst.BinaryOperation) and isinstance(test.operator, cst.Modulo):
        return True
    below = (cst.BaseExpression, cst.ComparisonTarget)
    return any(counts(child) for child in children(test) if isinstance(child, below))
