"""Ask torch_xla which process this is, in a script that was migrated by hand.

Under the Training Compiler's launcher there is no `RANK`, `LOCAL_RANK` or `WORLD_SIZE` in the environment; a script
that has an `_mp_fn` and still reads them stops with a KeyError, or, with a default, takes every process for the first.
What is read in a function becomes a question to torch_xla. (The codemod `rank` does it for scripts written for
torchrun.)
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import expression
from codemods.kit.codemod import Codemod
from codemods.kit.entry import trains_by_xla_ranks
from codemods.kit.environment import TORCHRUN, EnvironmentRead
from codemods.kit.launch import Launch
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher

_SOURCE = "SageMaker: sagemaker-training-toolkit 4.8 PyTorchXLARunner"


class RankVariables(Codemod):
    """Ask torch_xla which process this is, in a script that was migrated by hand."""

    STAGE = Stage.PROCESSES
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("TC574", "a variable of torchrun, which the launcher does not set, is asked of torch_xla", Safety.REVIEW,
             document=_SOURCE),
        Rule("TC575", "a variable of torchrun read while the script is imported", Safety.NOTE, Severity.ERROR,
             "ask torch_xla for it in the function that each process runs", _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before='import os\n\nimport torch\n\n\ndef _mp_fn(index):\n    rank = int(os.environ["RANK"])\n',
            smtc="import torch\nimport torch_xla.core.xla_model as xm\n\n\ndef _mp_fn(index):\n"
            "    rank = xm.get_ordinal()\n",
        ),
    )

    def rewrite(self) -> None:
        launch = self.script.launch
        by_hand = launch.kind is Launch.XLA or (launch.kind is Launch.SINGLE and trains_by_xla_ranks(self.script))
        if not by_hand or not self.script.uses_torch or self.script.group.is_xla:
            return
        for read in self.script.ranks.reads:
            if read.variable in TORCHRUN and not self.script.ranks.keeps_default(read.node):
                if not self._is_option(read.node):
                    self._read(read)

    def _is_option(self, node: cst.CSTNode) -> bool:
        """Whether it is the default of an option, which may be given otherwise and set later."""
        return any(self.script.tree.contains(option.call, node) for option in self.script.options.declared.values())

    def _read(self, read: EnvironmentRead) -> None:
        tree = self.script.tree
        if tree.function(read.node) is None:
            self.note("TC575", read.node, f"{read.variable} is not set under the launcher")
            return
        holder = tree.parent.get(tree.parent[read.node])
        whole: cst.BaseExpression = read.node
        if isinstance(holder, cst.Call) and self.script.qualified(holder.func) == "builtins.int":
            whole = holder
        edit = self.edit("TC574", whole, f"{read.variable} is not set under the launcher")
        said = edit.say(TORCHRUN[read.variable].idiom)
        edit.replace(whole, said if whole is holder else expression("str({x})", x=said))
