"""Step the optimizer through XLA.

`optimizer.step()` on XLA tensors only records work, and in several processes every replica would step with its own
gradients. `xm.optimizer_step(optimizer)` averages the gradients over the processes first (nothing in a single process)
and then steps; `barrier=True` also executes the graph, where no device loader does it before the next batch.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.loops import Step
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Stage


class OptimizerStep(Codemod):
    """Step the optimizer through XLA."""

    STAGE = Stage.STEP
    RULES = (
        Rule("TC401", "optimizer.step() becomes xm.optimizer_step(optimizer)", Safety.EXACT,
             document="torch_xla 2.1 core/xla_model.py optimizer_step"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\n\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\noptimizer.step()\n",
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\noptimizer = torch.optim.SGD(model.parameters(), "
            "lr=0.1)\nxm.optimizer_step(optimizer)\n",
        ),
    )

    def rewrite(self) -> None:
        for step in self.script.loops.steps:
            if not step.migrated and step.scaler is None:
                self._step(step)

    def _step(self, step: Step) -> None:
        edit = self.edit("TC401", step.call, "steps through xm.optimizer_step", step.value.evidence)

        def rewritten(updated: cst.Call) -> cst.BaseExpression:
            assert isinstance(updated.func, cst.Attribute)
            return edit.say(Idiom.OPTIMIZER_STEP, optimizer=updated.func.value)

        edit.replace(step.call, rewritten)
