"""Say where each process would get a learning rate of its own.

`ReduceLROnPlateau.step(metric)` decides by what it is given. In several processes that is each process's own validation
loss: one lowers its learning rate, another does not, and from then on the models differ, because gradients are averaged
and weights are not. Reducing the metric over the processes first gives all of them the same answer.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.tree import walk

_REDUCES = ("all_reduce", "mesh_reduce", "reduce_tensor", "reduce_mean", "reduce_dict", "all_gather")


class SchedulerMetric(Codemod):
    """Say where each process would get a learning rate of its own."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC571", "a scheduler decides by a metric of its own process", Safety.NOTE, Severity.WARNING,
             'reduce it first: metric = xm.mesh_reduce("metric", metric, lambda v: sum(v) / len(v))',
             "torch_xla 2.1 core/xla_model.py mesh_reduce"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            "import torch\n\nscheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer)\nscheduler.step(loss)\n"
        ),
    )

    def rewrite(self) -> None:
        if not self.script.distributed:
            return
        for call in self.script.tree.all(cst.Call):
            func = call.func
            if not (isinstance(func, cst.Attribute) and func.attr.value == "step" and call.args):
                continue
            scheduler = self.script.value(func.value, Role.SCHEDULER)
            if scheduler is not None and scheduler.of.endswith("ReduceLROnPlateau"):
                metric = call.args[0].value
                if not self._is_reduced(metric, call):
                    self.note("TC571", call, f"{code_of(metric)} is this process's own", scheduler.evidence)

    def _is_reduced(self, metric: cst.BaseExpression, step: cst.Call) -> bool:
        """Whether the metric goes through a reduction before the step, by itself or where it is computed."""
        names = {node.value for node in walk(metric) if isinstance(node, cst.Name)}
        tree = self.script.tree
        for call in tree.all(cst.Call):
            last = call.func.attr if isinstance(call.func, cst.Attribute) else call.func
            if not (isinstance(last, cst.Name) and last.value in _REDUCES) or tree.function(call) is not tree.function(
                step
            ):
                continue
            if tree.before(call, step) and any(isinstance(n, cst.Name) and n.value in names for n in walk(call)):
                return True
            assigned = tree.small_statement(call)
            if isinstance(assigned, cst.Assign) and any(
                isinstance(n, cst.Name) and n.value in names for target in assigned.targets for n in walk(target)
            ):
                return True
        return False
