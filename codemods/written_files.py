"""Say which files every process writes.

A script that drove all GPUs from one process, by DataParallel, opened its log and its summary writer once. On XLA each
device has a process, and all of them write to the same file: lines come as often as there are processes, or half a line
of one inside another's. Only the script's author knows which of it one process should write and which all of them need,
so this is said and not edited. A file with the rank in its name is each process's own, and what stands under a question
for the rank is written once. (Checkpoints are `checkpoint_save`'s, directories `made_directories`'.)
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.guards import names_rank
from codemods.kit.names import argument
from codemods.kit.once import ran_once
from codemods.kit.options import text
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage

_WRITERS = {
    "torch.utils.tensorboard.SummaryWriter": "log_dir",
    "tensorboardX.SummaryWriter": "logdir",
    "logging.FileHandler": "filename",
}
"""Classes that open a file when they are made, each with the name of the argument that says which."""
_BEFORE = (
    "import torch\n\nmodel = torch.nn.DataParallel(torch.nn.Linear(2, 2))\n"
    'with open("log.csv", "a") as log:\n    log.write("1,0.5")\n'
)


class WrittenFiles(Codemod):
    """Say which files every process writes."""

    STAGE = Stage.SAVE
    RULES = (
        Rule("TC611", "every process writes the same file", Safety.NOTE, Severity.WARNING,
             "write it under `if xm.is_master_ordinal():`, or give each process its own",
             "torch_xla 2.1 core/xla_model.py is_master_ordinal"),
    )  # fmt: skip
    EXAMPLES = (Example(before=_BEFORE),)

    def rewrite(self) -> None:
        if not self.script.distributed:
            return
        for call in self.script.calls("builtins.open"):
            mode = argument(call, 1, "mode")
            if mode is not None and set(text(mode.value)) & set("wax"):
                self._say(call, argument(call, 0, "file"))
        for name, keyword in _WRITERS.items():
            for call in self.script.calls(name):
                self._say(call, argument(call, 0, keyword))

    def _say(self, call: cst.Call, file: cst.Arg | None) -> None:
        if not ran_once(self.script, self.edits.target, call):
            return
        if file is not None and names_rank(self.script, file.value):
            return
        what = code_of(file.value) if file is not None else code_of(call.func)
        shown = what if len(what) <= 40 and "\n" not in what else "a file"
        self.note("TC611", call, f"every process writes {shown}: one did before")
