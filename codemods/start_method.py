"""Let a script choose again how its processes start their own.

torch_xla starts each process by "spawn", and a process that was started so has its start method already:
`set_start_method("spawn")` fails in it, "context has already been set". torchrun started a new interpreter, where the
call was the first. With `force=True` it holds, for the workers of the data loaders. What stays in the process that
starts the others, and a call that may fail where it stands, in a `try`, stay as they are.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit import build
from codemods.kit.codemod import Codemod
from codemods.kit.launch import Launch
from codemods.kit.names import argument
from codemods.kit.rules import Example, Rule, Safety, Stage
from codemods.kit.starters import starters
from codemods.kit.targets import Launcher

_CALLS = ("torch.multiprocessing.set_start_method", "multiprocessing.set_start_method",
          "multiprocess.set_start_method")  # fmt: skip
_HEAD = "import torch\nimport torch.distributed as dist\n\n\ndef main():\n"
_REST = '    dist.init_process_group("nccl")\n'


class StartMethod(Codemod):
    """Let a script choose again how its processes start their own."""

    STAGE = Stage.LAUNCH
    RULES = (
        Rule("TC708", "a start method that the launcher has set is set again", Safety.EXACT,
             document="Python 3.8 multiprocessing/context.py DefaultContext.set_start_method, spawn.py prepare"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before=f'{_HEAD}    torch.multiprocessing.set_start_method("spawn")\n{_REST}',
            smtc=f'{_HEAD}    torch.multiprocessing.set_start_method("spawn", force=True)\n{_REST}',
            xla=f'{_HEAD}    torch.multiprocessing.set_start_method("spawn", force=True)\n{_REST}',
        ),
        Example(before='import torch\n\ntorch.multiprocessing.set_start_method("spawn")\n'),
    )

    def rewrite(self) -> None:
        kind = self.script.launch.kind
        spawned = kind is Launch.SPAWN and self.edits.target.launcher is Launcher.TORCH_XLA
        if not self.script.distributed or spawned or kind is Launch.XLA or starters(self.script):
            return  # a script that starts its processes calls it once, before that
        for call in self.script.calls(*_CALLS):
            force = argument(call, 1, "force")
            forced = any(arg.star for arg in call.args) or (force is not None and build.code_of(force.value) != "False")
            if forced or self.script.tree.enclosing(call, cst.Try) is not None:
                continue
            edit = self.edit("TC708", call, "the launcher has set it in each process")
            edit.replace(call, lambda updated: build.with_keyword(updated, "force", "True"))
