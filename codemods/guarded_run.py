"""Say where one process alone runs the model.

`if rank == 0: evaluate(model)` is common under DistributedDataParallel. On XLA each process has a graph that waits to
be executed, and what it waits for may be the others: the first process then executes an average of gradients that the
others have not come to, and both wait for ever. It is safe when nothing is pending, as after a loop over a device
loader, which executes the graph at its end; nothing in the source promises that it stays so.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.guards import passes_one
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage


class GuardedRun(Codemod):
    """Say where one process alone runs the model."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC572", "one process alone runs the model", Safety.NOTE, Severity.WARNING,
             "let every process evaluate, and guard what prints and writes; or execute the graph before the guard",
             "SageMaker: data parallel troubleshooting, stalling at the end of training"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch.distributed as dist\n\nif dist.get_rank() == 0:\n    print(len(loader))\n",
        ),
    )

    def rewrite(self) -> None:
        if not self.script.distributed:
            return
        for guard in self.script.tree.all(cst.If):
            if passes_one(self.script, guard.test):
                for call, ran in self._runs(guard):
                    self.note("TC572", call, f"{ran} runs on one process only")
                    break

    def _runs(self, guard: cst.If) -> Iterator[tuple[cst.Call, str]]:
        """The calls in a guard that run a model, or a function of the script that does, without gradients."""
        tree = self.script.tree
        for call in tree.inside(guard.body, cst.Call):
            if self._is_run(call):
                yield call, f"{code_of(call.func)}()"
            function = self.script.names.local_function(call.func)
            if function is not None and any(map(self._is_run, tree.inside(function, cst.Call))):
                yield call, f"the model, in {function.name.value}(),"

    def _is_run(self, call: cst.Call) -> bool:
        return isinstance(call.func, cst.Name | cst.Attribute) and self.script.is_a(call.func, Role.MODEL)
