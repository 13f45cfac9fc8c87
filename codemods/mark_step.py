"""Execute the graph of a step where nothing else does.

Operations on XLA tensors are recorded until something executes them: a device loader before every batch, a barrier of
the optimizer step, or a mark. Without any of these a loop records the whole epoch into one graph, which takes memory
and minutes to compile, though its numbers are right. So a loop gets a mark

- after the step, where the step itself can't carry `barrier=True`: behind a gradient scaler, after a clip, in a
  branch, for several optimizers (one mark for all of them), and where the step is hidden in a function it calls;
  under gradient accumulation inside the condition of the step;
- before a `continue` that leaves a batch which has been computed;
- at the end of a loop that only evaluates, or just before that loop reads its results; also of one that samples step by
  step, `y = self.p_sample(y, t)`, without gradients and as often as a number says;
- before a value that every iteration reads between its backward and its step: read from a pending graph, it would
  compute the forward a second time;
- below a loop that logs in step closures, or before a `return` out of it, where nothing else runs the last closure.

Loops over a device loader, and loops with a mark of their own, get no other. A loop in a model's forward is part of one
graph and gets none.

Sources: torch_xla 2.1 core/xla_model.py mark_step, distributed/parallel_loader.py `PerDeviceLoader.next`; measured with
torch_xla 2.1 and 2.9: one compilation and one execution a step with a mark, one graph of the whole epoch without.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.names import argument
from codemods.kit.phrases import Idiom
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_EXECUTES = ("DeviceLoader", "ParallelLoader", "mark_step", "torch_xla.sync", "torch_xla.step", "barrier", "xm.step(")
"""What executes a graph, or may; also where only a comment speaks of it."""

_BEFORE = (
    "import torch\n\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\nfor i in range(1000):\n"
    "    x, y = get_batch(i)\n    model(x.cuda(), y.cuda()).backward()\n"
    "    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
    "    optimizer.step()\n"
)


class MarkStep(Codemod):
    """Execute the graph of a step where nothing else does."""

    STAGE = Stage.STEP
    RULES = (
        Rule("TC421", "the graph is executed once a step", Safety.EXACT,
             document="torch_xla 2.1 core/xla_model.py mark_step"),
        Rule("TC426", "a loop written for XLA that never executes its graph", Safety.NOTE, Severity.ERROR,
             "iterate over an MpDeviceLoader, or give barrier=True to xm.optimizer_step in a loop without one",
             document="torch_xla 2.1 core/xla_model.py optimizer_step"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before=_BEFORE,
            smtc=_BEFORE.replace("torch\n\n", "torch\nimport torch_xla.core.xla_model as xm\n\n")
            + "    xm.mark_step()\n",
            xla=_BEFORE.replace("torch\n\n", "torch\nimport torch_xla\n\n") + "    torch_xla.sync()\n",
        ),
    )

    def rewrite(self) -> None:
        loops = self.script.loops
        if not loops.batch_loops and not loops.steps:
            return
        for mark in self.script.marks(scaled=self.can(Idiom.GRAD_SCALER)).marks:
            edit = self.edit("TC421", mark.node, mark.why)
            if edit.allowed:
                statements = edit.say_statements(Idiom.MARK_STEP)
                (edit.after if mark.after else edit.before)(mark.node, statements)

    def review(self, result: cst.Module, text: str) -> None:
        """A script that was migrated by hand, and that nothing in sight makes execute what it records."""
        steps = self.script.links.alone and "optimizer_step" in self.script.tree.source
        if not steps or any(word in text for word in _EXECUTES):
            return
        for call in self.script.calls("torch_xla.core.xla_model.optimizer_step"):
            loop = self.script.tree.loop(call)
            made = isinstance(loop, cst.For) and not self._is_handed(loop.iter)
            if made and argument(call, 1, "barrier") is None:
                self.note("TC426", call, "no device loader, barrier or mark executes the graph of this loop")

    def _is_handed(self, node: cst.BaseExpression) -> bool:
        """Whether what a loop goes through is made elsewhere: it may be a device loader."""
        names = [node] if isinstance(node, cst.Name) else self.script.tree.inside(node, cst.Name)
        return any(binding.kind not in ("assign", "builtin") and name.value not in ("range", "enumerate", "tqdm")
                   for name in names for binding in self.script.names.bindings(name))  # fmt: skip
