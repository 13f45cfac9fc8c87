"""Say where a script counts its devices before torch_xla has started the processes.

torch_xla's launch wants to be the first to touch the devices: asking the runtime for their number before it ends with
"Runtime is already initialized" (from 2.3), and `torch.cuda.device_count()` is 0 where there is no CUDA. The codemod
`spawn_worker` moves the counts it can follow into the worker; the others are left as they are, with a note. Under the
Training Compiler's launcher the processes run already when the script starts, so nothing is wrong there.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.launch import XLA_LAUNCHES
from codemods.kit.names import argument
from codemods.kit.ranks import DEVICE_COUNTS
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher


class SpawnedCount(Codemod):
    """Say where a script counts its devices before torch_xla has started the processes."""

    STAGE = Stage.TIDY  # after the codemods that move the counts they can follow
    LAUNCHERS = (Launcher.TORCH_XLA,)
    RULES = (
        Rule("TC533", "GPUs are counted before the processes start", Safety.NOTE, Severity.ERROR,
             "ask for xr.world_size() in the function that each process runs",
             "torch_xla 2.6 distributed/xla_multiprocessing.py spawn"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import torch\nimport torch.multiprocessing as mp\n\nconfig = {\"n\": torch.cuda.device_count()}\n"
            "mp.spawn(print, args=(config,))\n",
        ),
    )  # fmt: skip

    def rewrite(self) -> None:
        tree = self.script.tree
        spawns = [*self.script.launch.starts, *self.script.calls(*XLA_LAUNCHES)]
        counts = [count for call in spawns if (count := argument(call, 2, "nprocs")) is not None]
        for call in self.script.calls(*DEVICE_COUNTS) if spawns else ():
            ahead = any(tree.function(s) is tree.function(call) and tree.before(call, s) for s in spawns)
            passed = any(tree.contains(count, call) for count in counts)
            moved = tree.small_statement(call) in self.edits.touched
            if ahead and not passed and not moved and not isinstance(tree.parent.get(call), cst.Comparison):
                self.note("TC533", call, "the GPUs are counted before the processes start")
