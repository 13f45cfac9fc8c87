"""Leave the number of devices to the Training Compiler's launcher.

The vendor's troubleshooting page has the script set `GPU_NUM_DEVICES`. The launcher sets it to the number of GPUs of
the instance before it starts the processes; importing torch_xla in a job on one GPU sets it to 1. What the script sets
is never run (under `__main__`, which the launcher skips), too late (torch_xla reads it once), or overrides the right
number with one that is right for a single instance type. It goes from a script that the launcher starts, and where
it comes after torch_xla was used. A script for one process may set it first.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.entry import trains_by_xla_ranks
from codemods.kit.rules import Example, Rule, Safety, Stage
from codemods.kit.targets import Launcher

_VARIABLE = "GPU_NUM_DEVICES"


class GpuNumDevices(Codemod):
    """Leave the number of devices to the Training Compiler's launcher."""

    STAGE = Stage.LAUNCH
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("TC732", "GPU_NUM_DEVICES is left to the launcher", Safety.REVIEW,
             document="sagemaker-training-toolkit 4.8 PyTorchXLARunner, which sets it; SageMaker: Training Compiler "
             "troubleshooting, missing XLA configuration"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import os\n\n\ndef _mp_fn(index):\n    main()\n\n\nif __name__ == "__main__":\n'
            '    os.environ["GPU_NUM_DEVICES"] = "4"\n    main()\n',
            smtc='def _mp_fn(index):\n    main()\n\n\nif __name__ == "__main__":\n    main()\n',
        ),
        Example(before='import os\n\nos.environ["GPU_NUM_DEVICES"] = "1"\nimport torch_xla.core.xla_model as xm\n'),
    )

    def rewrite(self) -> None:
        launch = self.script.launch
        started = launch.several or launch.entry is not None or trains_by_xla_ranks(self.script)
        for statement in self._settings():
            if started:
                self.edit("TC732", statement, "the launcher sets it for each instance").remove(statement)
            elif self._is_late(statement):
                self.edit("TC732", statement, "torch_xla has read it by then: it does nothing").remove(statement)

    def _settings(self) -> Iterator[cst.CSTNode]:
        """`os.environ["GPU_NUM_DEVICES"] = ...` and `os.environ.setdefault("GPU_NUM_DEVICES", ...)`."""
        tree = self.script.tree
        for node, key in self.script.ranks.environment:
            statement = tree.small_statement(node)
            if key != _VARIABLE or statement is None:
                continue
            assigned = isinstance(statement, cst.Assign) and [each.target for each in statement.targets] == [node]
            if assigned or (isinstance(statement, cst.Expr) and statement.value is node):
                yield statement

    def _is_late(self, statement: cst.CSTNode) -> bool:
        """Whether torch_xla was called before, in the same function."""
        tree = self.script.tree
        calls = (tree.parent.get(node) for _, node in self.script.names.uses("torch_xla"))
        return any(
            isinstance(call, cst.Call)
            and tree.function(call) is tree.function(statement)
            and tree.before(call, statement)
            for call in calls
        )
