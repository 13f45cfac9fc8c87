"""Say where the callers of a function contradict each other.

In a project, what a parameter is follows from what its callers pass. When one passes a DataLoader and another a list,
or one the accelerator and another the CPU, an edit that is right for the first can be wrong for the second. Then the
function is written so that it serves both, and the note names both calls:

- a device that is the accelerator for some callers only: no device loader, which fails on the CPU; the moves of the
  batch stay, and the graph is executed at the end of the step;
- an object that is an optimizer for some callers and a scheduler, or a class of the project's own, for others: its
  `step()` stays, and each caller averages the gradients before it hands over an optimizer;
- a DataLoader here and a list there: the device loader takes both.

A function that is migrated, and that a file calls which is not (it stands on FSDP or DeepSpeed), works on XLA only from
then on: that is said too.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.disputes import Dispute
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_LOADER = "torch_xla 2.1 distributed/parallel_loader.py MpDeviceLoader"


class Contradictions(Codemod):
    """Say where the callers of a function contradict each other."""

    STAGE = Stage.TIDY
    RULES = (
        Rule("TC931", "an optimizer for some callers, something else for others", Safety.NOTE, Severity.WARNING,
             advice="the step stays as it is; see that a caller averages the gradients of each optimizer it hands over",
             document="torch_xla 2.1 core/xla_model.py optimizer_step reads param_groups"),
        Rule("TC932", "the same, and no caller can average the gradients", Safety.NOTE, Severity.ERROR,
             advice="call xm.reduce_gradients(optimizer) before what is an optimizer steps",
             document="torch_xla 2.1 core/xla_model.py reduce_gradients"),
        Rule("TC933", "the accelerator for some callers, another device for others", Safety.NOTE, Severity.WARNING,
             advice="batches are moved in the loop; to load ahead, make the device loader in the caller",
             document="torch_xla 2.1 and 2.9: a device loader of a CPU device fails"),
        Rule("TC934", "a data loader for some callers, plain data for others", Safety.NOTE, Severity.INFO,
             advice="nothing has to be done: a device loader moves the elements of either", document=_LOADER),
        Rule("TC935", "a migrated function that a file calls which is not migrated", Safety.NOTE, Severity.WARNING,
             advice="give that file a copy of the function as it was, or migrate it too"),
    )  # fmt: skip
    EXAMPLES = (Example(before="def advance(optimizer):\n    optimizer.step()\n"),)

    def rewrite(self) -> None:
        links = self.script.links
        if not (links.disputes or links.staying) or (self.script.on_cpu and not links.accelerated):
            return
        for function, parameter in self._parameters():
            dispute = self.script.roles.dispute(function, parameter)
            if dispute is not None:
                self._say(function, parameter, dispute)
        for function in self.script.tree.all(cst.FunctionDef):
            call = links.staying.get(self.script.tree.qualname(function))
            if call is not None and self._is_edited(function):
                self.note("TC935", function, f"{function.name.value}() is called at {call}")

    def _parameters(self) -> Iterator[tuple[cst.FunctionDef, cst.Param]]:
        for function in self.script.tree.all(cst.FunctionDef):
            params = function.params
            for parameter in (*params.posonly_params, *params.params, *params.kwonly_params):
                yield function, parameter

    def _say(self, function: cst.FunctionDef, parameter: cst.Param, dispute: Dispute) -> None:
        said = f"`{parameter.name.value}` is {dispute.text}"
        if dispute.role is Role.OPTIMIZER:
            if self._is_stepped(function, parameter) or not (dispute.averaged or dispute.handed):
                lost = self.script.distributed and not dispute.averaged
                self.note("TC932" if lost else "TC931", function, said, dispute.evidence)
        elif dispute.role is Role.DEVICE:
            if any(self._reaches(function, loop.function) for loop in self.script.loaders.disputed):
                self.note("TC933", function, f"{said}: no device loader is made", dispute.evidence)
        elif self._is_wrapped(parameter):
            self.note("TC934", function, f"{said}: the device loader takes both", dispute.evidence)

    def _reaches(self, function: cst.FunctionDef, user: cst.FunctionDef | None) -> bool:
        """Whether a parameter of a function is used in another: the same, or a method of the object it constructs."""
        tree = self.script.tree
        if user is None or function.name.value != "__init__":
            return user is function
        return tree.class_of(function) is tree.class_of(user)

    def _is_stepped(self, function: cst.FunctionDef, parameter: cst.Param) -> bool:
        tree = self.script.tree
        return any(
            isinstance(call.func, cst.Attribute)
            and call.func.attr.value == "step"
            and isinstance(call.func.value, cst.Name)
            and call.func.value.value == parameter.name.value
            and tree.function(call) is function
            for call in tree.all(cst.Call)
        )

    def _is_wrapped(self, parameter: cst.Param) -> bool:
        """Whether a loop over the parameter goes through a device loader."""
        loaders = self.script.loaders
        return any(
            binding.node is parameter
            for loop in loaders.plan.loops
            for feed in loaders.feeds(loop)
            for binding in self.script.names.bindings(feed)
        )

    def _is_edited(self, function: cst.FunctionDef) -> bool:
        line = self.script.tree.line
        inside = {line(node) for node in walk(function) if isinstance(node, cst.BaseSmallStatement | cst.BaseStatement)}
        return any(min(inside) <= change.line <= max(inside) for change in self.edits.changes)
