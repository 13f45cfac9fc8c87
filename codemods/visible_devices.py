"""Stop choosing GPUs through the environment.

`os.environ["CUDA_VISIBLE_DEVICES"] = "0,1"` at the top of a script is executed again in every process that is started,
and there it hides the device that the launcher has given to the process: all of them end up on one. Which devices take
part is the launcher's business, so the assignment goes.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_VARIABLES = ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER")


class VisibleDevices(Codemod):
    """Stop choosing GPUs through the environment."""

    STAGE = Stage.PROCESSES
    RULES = (
        Rule("TC535", "CUDA_VISIBLE_DEVICES is not set", Safety.EXACT,
             document="torch_xla 1.13 distributed/xla_multiprocessing.py: each worker is given its device"),
        Rule("TC536", "the script reads which GPUs are visible", Safety.NOTE, Severity.WARNING,
             "ask torch_xla for the devices: the variable need not be set", "torch_xla 2.1 runtime.py"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import os\nimport torch\n\nos.environ["CUDA_VISIBLE_DEVICES"] = "0"\nprint("training")\n',
            smtc='import torch\n\nprint("training")\n',
            xla='import torch\n\nprint("training")\n',
        ),
    )

    def rewrite(self) -> None:
        if not self.script.uses_torch:
            return
        tree = self.script.tree
        for node, key in self.script.ranks.environment:
            if key not in _VARIABLES:
                continue
            statement = tree.small_statement(node)
            written = isinstance(statement, cst.Assign) and any(
                target.target is node or _is_variable(target.target) for target in statement.targets
            )  # `os.environ[key] = os.environ.get(key, "0")` reads only what it sets
            deleted = isinstance(statement, cst.Del)
            if statement is not None and (
                written or deleted or (isinstance(statement, cst.Expr) and statement.value is node)
            ):
                self.edit("TC535", node, f"{key} hides devices from the process it is set in").remove(statement)
            else:
                self.note("TC536", node, f"{key} is read")


def _is_variable(target: cst.BaseExpression) -> bool:
    return isinstance(target, cst.Subscript) and any(name in code_of(target) for name in _VARIABLES)
