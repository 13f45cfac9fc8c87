"""Average gradients ahead of a gradient scaler.

DistributedDataParallel averaged the gradients in the backward, before the scaler saw them. On XLA nothing does, and
`xm.optimizer_step` can't: the scaler steps. So the gradients are averaged explicitly, after the last backward of a
step and before `scaler.unscale_`, clipping and `scaler.step`:

    gradients = xm._fetch_gradients(optimizer)
    xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())

The order decides: unscaled before the reduction, `found_inf` differs between processes, one of them skips its step and
the models drift apart; clipped before it, every process clips another gradient. Under accumulation the reduction stands
inside the condition of the step: in every micro-batch it would give the same result for as many times the traffic.

A script that trains in one process needs none of this and is left alone. A step in a file that does not say how its
processes start, with an optimizer passed in from elsewhere, is treated as one of several: alone, the call returns at
once. Where the target has no scaler, `optimizer_step` does the whole work.

Sources: torch_xla 1.13 test/test_train_mp_mnist_amp.py; SageMaker: Training Compiler, "Bring Your Own Deep Learning
Model", PyTorch, "If using AMP".
"""

from __future__ import annotations

from codemods.kit.codemod import Codemod
from codemods.kit.phrases import Idiom
from codemods.kit.reductions import may_be_several, places, sharing, spelled
from codemods.kit.rules import Example, Rule, Safety, Stage


class GradientReduction(Codemod):
    """Average gradients ahead of a gradient scaler."""

    STAGE = Stage.STEP
    NEEDS = (Idiom.GRAD_SCALER,)
    RULES = (
        Rule("TC411", "gradients are averaged over the processes before the scaler unscales or steps", Safety.EXACT,
             document="torch_xla 1.13 test/test_train_mp_mnist_amp.py; core/xla_model.py _fetch_gradients, all_reduce"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from torch.cuda.amp import GradScaler\n\n\n"
            "def train(model, loader, optimizer, scaler: GradScaler):\n"
            "    for x, y in loader:\n        optimizer.zero_grad()\n        loss = model(x, y)\n"
            "        scaler.scale(loss).backward()\n        scaler.step(optimizer)\n        scaler.update()\n",
            smtc="from torch.cuda.amp import GradScaler\nimport torch_xla.core.xla_model as xm\n\n\n"
            "def train(model, loader, optimizer, scaler: GradScaler):\n"
            "    for x, y in loader:\n        optimizer.zero_grad()\n        loss = model(x, y)\n"
            "        scaler.scale(loss).backward()\n        gradients = xm._fetch_gradients(optimizer)\n"
            '        xm.all_reduce("sum", gradients, scale=1.0 / xm.xrt_world_size())\n'
            "        scaler.step(optimizer)\n        scaler.update()\n",
        ),
    )  # fmt: skip

    def rewrite(self) -> None:
        if self.script.loops.managed or self.script.on_cpu:
            return
        for step in self.script.loops.steps:
            if step.scaler is None or step.migrated or step.averaged or not may_be_several(self.script, step):
                continue
            edit = self.edit("TC411", step.call, "averages the gradients ahead of the scaler", step.value.evidence)
            shared = sharing(self.script, step, scaled=True)
            if next(other for other in shared if other.scaler is not None) is not step:
                continue
            scope = self.script.names.scope(step.call)
            free = self.script.names.find("gradients", scope) is None
            for place in places(self.script, step, scaled=True):
                optimizer = spelled(self.script, step.optimizer, place.node)
                place.put(edit, Idiom.FETCH_AND_REDUCE if free else Idiom.REDUCE_GRADIENTS, optimizer)
