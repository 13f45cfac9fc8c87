"""Say where parameters are updated out of the tool's sight.

Some ways of training don't go through `optimizer.step()`:

- parameters updated by hand, `p.data.add_(p.grad, alpha=-lr)`. On XLA this works as it is; the loop gets its mark from
  `mark_step`. In several processes nobody averages the gradients.
- a step made by another library's wrapper, `loss_scaler(loss, optimizer, parameters=...)` as timm's `NativeScaler`. It
  calls CUDA's gradient scaler and a plain `step()`.
- an optimizer's `step` handed over uncalled, `schedule(optimizer.step)`.
- gradients reduced by another library, `nccl.all_reduce(flat)`, beside the reduction that is written at the
  step: it works on GPUs only, or reduces once more.

Nothing is edited here: what to write depends on code that is not in the file.

Sources: torch_xla 2.1 core/xla_model.py optimizer_step; timm utils/cuda.py NativeScaler.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.loops import BatchLoop
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import children

_STEP = "torch_xla 2.1 core/xla_model.py optimizer_step"
_REDUCE = "average them first: xm.all_reduce(xm.REDUCE_SUM, [p.grad for p in ...], scale=1.0 / the number of processes)"
_REDUCES = frozenset(("all_reduce", "allreduce", "all_reduce_", "allreduce_", "allreduce_grads", "allreduce_gradients",
                      "reduce_gradients", "average_gradients", "sync_gradients"))  # fmt: skip
_KNOWN = ("torch.", "torch_xla.", "horovod.", "smdistributed.", "apex.", "mpi4py.", "builtins.", "numpy.", ".")
_UPDATES = {"add_", "sub_", "addcdiv_", "copy_"}


class HiddenStep(Codemod):
    """Say where parameters are updated out of the tool's sight."""

    STAGE = Stage.STEP
    RULES = (
        Rule("TC451", "parameters are updated by hand", Safety.NOTE, Severity.INFO,
             advice="this runs on XLA as it is", document=_STEP),
        Rule("TC452", "parameters are updated by hand in several processes", Safety.NOTE, Severity.ERROR,
             advice=_REDUCE, document=_STEP),
        Rule("TC453", "another library's object steps the optimizer", Safety.NOTE, Severity.ERROR,
             advice="write the backward and xm.optimizer_step(optimizer) out here, or migrate the file that defines it",
             document=_STEP),
        Rule("TC454", "an optimizer's step is handed over uncalled", Safety.NOTE, Severity.WARNING,
             advice="hand over a function that calls xm.optimizer_step(optimizer)", document=_STEP),
        Rule("TC458", "gradients are reduced by another library", Safety.NOTE, Severity.ERROR,
             advice="take it out, with what starts it: xm.optimizer_step and xm.reduce_gradients average the gradients",
             document=_STEP),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="loss = criterion(model(x), y)\nloss.backward()\nfor p in model.parameters():\n"
            "    p.data.add_(p.grad, alpha=-lr)  # noted: runs as it is in one process\n"
        ),
    )

    def rewrite(self) -> None:
        loops = self.script.loops
        if loops.managed:
            return
        if loops.backwards and not loops.steps:
            self._by_hand()
        for loop in loops.evaluation_loops():
            self._in_a_wrapper(loop)
        self._by_library()
        for attribute in self.script.tree.all(cst.Attribute):
            if attribute.attr.value == "step":
                self._uncalled(attribute)

    def _by_library(self) -> None:
        """`nccl.all_reduce(...)`, or `comm.allreduce(...)` of something that neither torch nor this project defines."""
        known = self.script.links.keywords
        for call in self.script.tree.all(cst.Call) if self.script.loops.steps else ():
            name = self.script.qualified(call.func) or ""
            *owners, last = name.lower().split(".")
            if not owners or name.startswith(_KNOWN) or name in known:
                continue
            if "nccl" in owners:
                self.note("TC458", call, f"{name} works on GPUs only")
            elif last in _REDUCES:
                self.note("TC458", call, f"{name} reduces beside what averages the gradients at the step")

    def _by_hand(self) -> None:
        rule, message = "TC451", "updates parameters by hand"
        if self.script.distributed:
            rule, message = "TC452", "nobody averages the gradients of this update"
        for call in self.script.tree.all(cst.Call):
            func = call.func
            if isinstance(func, cst.Attribute) and func.attr.value in _UPDATES and _reads_grad(call.args):
                self.note(rule, call, message)
        for update in self.script.tree.all(cst.AugAssign):
            if isinstance(update.operator, cst.SubtractAssign | cst.AddAssign) and _has_grad(update.value):
                self.note(rule, update, message)

    def _in_a_wrapper(self, loop: BatchLoop) -> None:
        """A loop over batches without a backward, in which something gets both the loss and the optimizer."""
        tree = self.script.tree
        for call in tree.inside(loop.loop, cst.Call):
            if len(call.args) < 2 or tree.loop(call) is not loop.loop or self.script.names.local_function(call.func):
                continue
            if any(step.call is call for step in self.script.loops.library_steps):
                continue
            if (self.script.qualified(call.func) or "").startswith(("builtins.", "torch.")):
                continue
            optimizers = [arg for arg in call.args if self.script.is_a(arg.value, Role.OPTIMIZER)]
            if optimizers and any(self._is_loss(arg.value) for arg in call.args):
                self.note("TC453", call, "the optimizer is stepped where the tool can't see it")

    def _is_loss(self, node: cst.BaseExpression) -> bool:
        """A loss by where it comes from, or the result of a call that the script reads with `.item()`."""
        if self.script.is_a(node, Role.LOSS):
            return True
        names = self.script.names
        bindings = names.bindings(node) if isinstance(node, cst.Name) else []
        if not any(isinstance(binding.value, cst.Call) and not binding.path for binding in bindings):
            return False
        return any(
            isinstance(call.func, cst.Attribute)
            and call.func.attr.value == "item"
            and names.bindings(call.func.value) == bindings
            for call in self.script.tree.all(cst.Call)
        )

    def _uncalled(self, attribute: cst.Attribute) -> None:
        parent = self.script.tree.parent.get(attribute)
        if isinstance(parent, cst.Arg | cst.Assign):
            if self.script.is_a(attribute.value, Role.OPTIMIZER):
                self.note("TC454", attribute, "hands over the optimizer's step, which averages no gradients")


def _reads_grad(args: object) -> bool:
    return isinstance(args, list | tuple) and any(isinstance(arg, cst.Arg) and _has_grad(arg.value) for arg in args)


def _has_grad(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Attribute) and node.attr.value == "grad":
        return True
    return any(_has_grad(child) for child in children(node) if isinstance(child, cst.BaseExpression | cst.Arg))
