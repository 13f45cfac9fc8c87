"""Step the optimizer through XLA.

`optimizer.step()` on XLA tensors only records work, and in several processes every replica would step with its own
gradients. `xm.optimizer_step(optimizer)` averages the gradients over the processes first (nothing happens in a single
process) and then steps. `barrier=True` also executes what was recorded; it is written where no device loader does that
before the next batch, and where a value of the step is read right after it: read before an execution, `loss.item()`
computes the forward a second time.

Gradients that are clipped, or looked at in any other way, have to be averaged before, as DistributedDataParallel
averaged them in the backward. Then the reduction is written out and the step stays as it is:

    xm.reduce_gradients(optimizer)
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()

Under gradient accumulation both stand inside the condition of the step, so that gradients travel once a step. From
torch_xla 2.0 `clip_grad_norm_` then takes the sum as it was before a reduction in place (golden `ddp_accumulate_clip`,
two replicas of torch_xla 2.9): each gradient that was added up is replaced by a copy before it is reduced. A
closure is passed through `optimizer_args`, because the second argument of `xm.optimizer_step` is `barrier`; it averages
its own gradients after its backward.

An optimizer of float32 masters gets its gradients from those of the network, by hand. Where the script looks at the
network's ones before (`isfinite`, a clip), those are averaged there, and nothing at the step: `xm.reduce_gradients`
would find what the step before left, or no gradients at all, which ends a run of several processes.

`scaler.step(optimizer)` becomes the same where the target has no gradient scaler. Where it has one, the scaler keeps
stepping, and averaging ahead of it is the codemod `gradient_reduction`. The inner step of an optimizer class of the
script's own (a `Lookahead`, a `SAM`) stays: whoever steps the outer one averages for both. A script that averages its
gradients itself steps like any other: the mean of what is equal in every process changes nothing.

Sources: torch_xla 1.13 and 2.9 core/xla_model.py, `optimizer_step` and `reduce_gradients`; torch_xla 2.1
test/test_train_mp_mnist.py; SageMaker: Training Compiler, "Bring Your Own Deep Learning Model", PyTorch.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of, expression, statements
from codemods.kit.codemod import Codemod
from codemods.kit.edits import Edit
from codemods.kit.gradients import last_name
from codemods.kit.loops import Step
from codemods.kit.masters import listing
from codemods.kit.names import argument
from codemods.kit.phrases import Idiom
from codemods.kit.reductions import averaging, before_others, may_be_several, names_beside, places, sharing, spelled
from codemods.kit.roles import DICT, Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_BEFORE = (
    "import torch\n\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nfor i in range(1000):\n"
    "    x, y = get_batch(i)\n    loss = criterion(model(x.cuda()), y.cuda())\n"
    "    loss.backward()\n    optimizer.step()\n"
)
_AFTER = _BEFORE.replace("torch\n\n", "torch\nimport torch_xla.core.xla_model as xm\n\n").replace(
    "optimizer.step()", "xm.optimizer_step(optimizer, barrier=True)"
)
_STEP = "torch_xla 2.1 core/xla_model.py optimizer_step"
_REDUCE = "torch_xla 2.1 core/xla_model.py reduce_gradients"


class OptimizerStep(Codemod):
    """Step the optimizer through XLA."""

    STAGE = Stage.STEP
    RULES = (
        Rule("TC401", "optimizer.step() becomes xm.optimizer_step(optimizer)", Safety.EXACT, document=_STEP),
        Rule("TC402", "the same for an object that is only known to be zeroed and stepped", Safety.REVIEW,
             advice="check that it is a torch.optim optimizer: xm.optimizer_step reads its param_groups",
             document=_STEP),
        Rule("TC403", "gradients are averaged before they are clipped or read, and the step stays", Safety.EXACT,
             document=_REDUCE),
        Rule("TC404", "a closure is passed to xm.optimizer_step, and averages its gradients", Safety.EXACT,
             document=_STEP),
        Rule("TC405", "LBFGS decides on the host within a step", Safety.NOTE, Severity.WARNING,
             advice="expect tens of compilations in a step; use another optimizer, or train this part on the CPU",
             document="measured with torch_xla 2.1: 33 compilations in the first step, 62 in the second"),
        Rule("TC406", "a closure whose backward is not in this file", Safety.NOTE, Severity.ERROR,
             advice="call xm.reduce_gradients(optimizer) in the closure, after its backward", document=_REDUCE),
        Rule("TC408", "gradients are clipped here, and averaged and stepped with in another file", Safety.NOTE,
             Severity.ERROR, advice="call xm.reduce_gradients(optimizer) before they are clipped", document=_REDUCE),
        Rule("TC409", "gradients are averaged of which those are made that an optimizer steps with", Safety.EXACT,
             document="torch_xla 2.1 core/xla_model.py all_reduce, reduce_gradients"),
        Rule("TC410", "gradients are looked at of which those are made that an optimizer steps with", Safety.NOTE,
             Severity.ERROR, advice="average the gradients of the network here, xm.all_reduce(xm.REDUCE_SUM, [p.grad "
             "for p in model.parameters()], scale=1.0 / world_size): the optimizer holds other parameters",
             document="torch_xla 2.1 core/xla_model.py all_reduce, reduce_gradients"),
        Rule("TC407", "another method of an optimizer that steps", Safety.EXACT, document=_REDUCE),
    )  # fmt: skip
    EXAMPLES = (Example(before=_BEFORE, smtc=_AFTER, xla=_AFTER),)

    def rewrite(self) -> None:
        loops = self.script.loops
        if loops.managed or self.script.on_cpu:
            return
        self._scaled = self.can(Idiom.GRAD_SCALER)
        for step in loops.steps:
            if step.migrated or (step.scaler is not None and self._scaled):
                continue
            if step.averaged:
                self._averaged(step)
            elif step.others and may_be_several(self.script, step):
                self._of_others(step)
            elif step.uses:
                self._clipped(step)
            elif step.closure is not None and not _is_none(step.closure):
                if self._is_closure(step.closure, step):
                    self._closure(step)
                else:
                    self._other(step.call, step.optimizer)
            else:
                self._plain(step)
        for call, optimizer in loops.other_steps:
            self._other(call, optimizer)
        for call, optimizers in loops.averaging:
            self._before_a_call(call, optimizers)

    # --- the forms of a step ------------------------------------------------------------------------------------

    def _plain(self, step: Step) -> None:
        rule = "TC402" if step.value.of == "by use" else "TC401"
        barrier = step in self.script.marks(scaled=self._scaled).barriers
        message = "steps through xm.optimizer_step" + (", which also executes the step" if barrier else "")
        edit = self.edit(rule, step.call, message, step.value.evidence)
        idiom = Idiom.OPTIMIZER_STEP_BARRIER if barrier else Idiom.OPTIMIZER_STEP
        edit.replace(step.call, lambda updated: edit.say(idiom, optimizer=_optimizer(step, updated)))

    def _clipped(self, step: Step) -> None:
        edit = self.edit("TC403", step.call, f"averages the gradients before {self._how(step)}", step.value.evidence)
        for place in places(self.script, step, scaled=self._scaled) if self._reduces(step) else ():
            several = may_be_several(self.script, step)
            idiom = averaging(self.script, step.call, step.uses) if several else Idiom.REDUCE_GRADIENTS
            optimizer = spelled(self.script, step.optimizer, place.node)
            place.put(edit, idiom, optimizer, **names_beside(self.script, place.node))
        if step.scaler is not None:
            edit.replace(step.call, lambda updated: expression("{o}.step()", o=_optimizer(step, updated)))

    def _of_others(self, step: Step) -> None:
        """The step of an optimizer that holds copies: the gradients are averaged of which theirs are made."""
        where = before_others(self.script, step)
        found = listing(self.script, step, where[0].node)
        if found is None:
            self.note("TC410", step.others[0], f"the optimizer of line {self.script.tree.line(step.call)} holds copies")
            return
        edit = self.edit("TC409", step.call, "averages the gradients of which the optimizer's are made")
        names = names_beside(self.script, where[0].node)
        free = self.script.names.find("filled", self.script.names.scope(step.call)) is None
        for place in where if edit.allowed else ():
            filled = "filled" if free else "filled_"
            statements = edit.say_statements(
                Idiom.REDUCE_FILLED, value=found.value, over=found.over, filled=filled, **names
            )
            (edit.after if place.after else edit.before)(place.node, place.wrap(statements))
        if step.scaler is not None:
            edit.replace(step.call, lambda updated: expression("{o}.step()", o=_optimizer(step, updated)))

    def _averaged(self, step: Step) -> None:
        """The step of a function whose callers average the gradients, before they clip them."""
        if step.scaler is not None:
            edit = self.edit("TC403", step.call, "the scaler goes, the step stays", step.value.evidence)
            edit.replace(step.call, lambda updated: expression("{o}.step()", o=_optimizer(step, updated)))

    def _before_a_call(self, call: cst.Call, optimizers: list[cst.BaseExpression]) -> None:
        """A call that steps optimizers elsewhere, with gradients that are clipped here."""
        loops = self.script.loops
        use = self._unscaled(call, loops.first_use(call) or call)
        why = loops.links.steps.get(self.script.tree.order[call], "")
        if not optimizers:
            if self.script.distributed:
                self.note("TC408", use, "the gradients are averaged only after this", (why,))
            return
        edit = self.edit("TC403", use, f"averages the gradients before line {self.script.tree.line(use)} uses them")
        if edit.allowed:
            for optimizer in optimizers:
                edit.before(use, self._reduction(edit, spelled(self.script, optimizer, use), use, call))

    def _unscaled(self, call: cst.Call, use: cst.CSTNode) -> cst.CSTNode:
        """The first `scaler.unscale_(optimizer)` between the last backward and a use, where the target unscales."""
        tree = self.script.tree
        function = tree.function(call)
        backwards = [b.call for b in self.script.loops.backwards if b.function is function and tree.before(b.call, use)]
        for other in tree.all(cst.Call) if self._scaled else ():
            if tree.function(other) is function and last_name(other) == "unscale_" and tree.before(other, use):
                if self.script.is_a(getattr(other.func, "value", other), Role.SCALER):
                    if backwards and all(tree.before(backward, other) for backward in backwards):
                        return other
        return use

    def _reduction(
        self, edit: Edit, optimizer: cst.BaseExpression, use: cst.CSTNode, call: cst.Call
    ) -> list[cst.BaseStatement]:
        """The reduction of an optimizer, or of each in a list or dict of them."""
        idiom, names = averaging(self.script, call, [use]), names_beside(self.script, use)
        several = self.script.value(optimizer, Role.OPTIMIZERS)
        if several is None:
            return edit.say_statements(idiom, optimizer=optimizer, **names)
        each = "optimizer" if code_of(optimizer) != "optimizer" else "each"
        inside = edit.say_statements(idiom, optimizer=cst.Name(each), **names)
        iterated = code_of(optimizer) + (".values()" if several.of.endswith(DICT) else "")
        loop = cst.ensure_type(statements(f"for {each} in {iterated}:\n    pass\n")[0], cst.For)
        return [loop.with_changes(body=cst.IndentedBlock(inside))]

    def _reduces(self, step: Step) -> bool:
        """Whether this step writes the reduction, and not another step that shares it."""
        shared = sharing(self.script, step, scaled=self._scaled)
        if any(self._scaled and other.scaler is not None and may_be_several(self.script, other) for other in shared):
            return False  # gradient_reduction does
        mine = [other for other in shared if not (self._scaled and other.scaler is not None)]
        return mine[0] is step

    def _how(self, step: Step) -> str:
        return "they are clipped" if step.clips else f"line {self.script.tree.line(step.uses[0])} uses them"

    def _is_closure(self, passed: cst.BaseExpression, step: Step) -> bool:
        """Whether what a step is given computes the loss: the optimizers of other libraries take options too."""
        if step.value.of.startswith("torch.optim.") or isinstance(passed, cst.Lambda):
            return True
        named = argument(step.call, None, "closure") is not None
        return named or self.script.names.local_function(passed) is not None

    def _closure(self, step: Step) -> None:
        assert step.closure is not None
        function = self.script.names.local_function(step.closure)
        backwards = [b.call for b in self.script.loops.backwards if b.function is function and function is not None]
        edit = self.edit("TC404", step.call, "passes the closure through optimizer_args", step.value.evidence)

        def rewritten(updated: cst.Call) -> cst.BaseExpression:
            passed = argument(updated, 0 if step.scaler is None else 1, "closure")
            assert passed is not None
            optimizer = _optimizer(step, updated)
            return edit.say(Idiom.OPTIMIZER_STEP_CLOSURE, optimizer=optimizer, closure=passed.value)

        edit.replace(step.call, rewritten)
        if step.value.of == "torch.optim.LBFGS":
            self.note("TC405", step.call, "LBFGS reads the device to choose each inner iteration", step.value.evidence)
        if backwards and function is not None and self._reduced_in(function):
            return
        if backwards and self._sees(step, backwards[-1]):
            reduction = edit.say_statements(Idiom.REDUCE_GRADIENTS, optimizer=step.optimizer) if edit.allowed else []
            edit.after(backwards[-1], reduction)
        elif may_be_several(self.script, step):
            self.note("TC406", step.call, "the closure's gradients are not averaged over the processes")

    def _sees(self, step: Step, inside: cst.Call) -> bool:
        """Whether the optimizer's name means the same in the closure."""
        if not step.over:
            return True
        names = self.script.names
        found = names.find(step.over, names.scope(inside))
        return found is not None and found[1] == names.bindings(step.optimizer)

    def _reduced_in(self, function: cst.FunctionDef) -> bool:
        reduces = self.script.calls("torch_xla.core.xla_model.reduce_gradients")
        return any(self.script.tree.function(call) is function for call in reduces)

    def _other(self, call: cst.Call, optimizer: cst.BaseExpression) -> None:
        """`optimizer.first_step()`: averaged like any step, and stepped by its own method."""
        assert isinstance(call.func, cst.Attribute)
        edit = self.edit("TC407", call, f"averages the gradients before {call.func.attr.value}")
        edit.before(call, edit.say_statements(Idiom.REDUCE_GRADIENTS, optimizer=optimizer) if edit.allowed else [])


def _optimizer(step: Step, updated: cst.Call) -> cst.BaseExpression:
    """The optimizer's expression in the updated call."""
    if step.scaler is not None:
        return updated.args[0].value
    if isinstance(updated.func, cst.Attribute) and updated.func.attr.value == "step":
        return updated.func.value
    return step.optimizer  # `advance()`


def _is_none(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Name) and node.value == "None"
