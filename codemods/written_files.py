"""Say which files every process writes.

A script that drove all GPUs from one process, by DataParallel, opened its log and its summary writer once. On XLA each
device has a process, and all of them write to the same file: lines come as often as there are processes, or half a line
of one inside another's. Only the script's author knows which of it one process should write and which all of them need,
so this is said and not edited. The same goes for pictures, arrays, tables and scores that one process wrote: whoever
reads such a file while others write it may find half of it. A guard around a call that saves a tensor of the device
would not do: reading it runs what is pending, which all processes have to run where gradients are averaged in it. A
file with the rank in its name is each process's own, and what stands under a question for the rank is written once.
(Checkpoints are `checkpoint_save`'s, directories `made_directories`'.)
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.guards import names_rank
from codemods.kit.once import ran_once
from codemods.kit.phrases import Idiom
from codemods.kit.roles import Role
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.writers import written

_BEFORE = (
    "import torch\n\nmodel = torch.nn.DataParallel(torch.nn.Linear(2, 2))\n"
    'with open("log.csv", "a") as log:\n    log.write("1,0.5")\n'
)


class WrittenFiles(Codemod):
    """Say which files every process writes."""

    STAGE = Stage.TIDY
    BY_ALL = True
    RULES = (
        Rule("TC611", "every process writes the same file", Safety.NOTE, Severity.WARNING,
             "write it under `if xm.is_master_ordinal():`, or give each process its own",
             "torch_xla 2.1 core/xla_model.py is_master_ordinal"),
    )  # fmt: skip
    EXAMPLES = (Example(before=_BEFORE),)

    def rewrite(self) -> None:
        if not self.script.distributed:
            return
        for call in self.script.tree.all(cst.Call):
            writes, file = written(self.script, call)
            if writes and not self._saves_once(call):
                self._say(call, file)

    def _saves_once(self, call: cst.Call) -> bool:
        """Whether `checkpoint_save` has xm.save write a pretrained model."""
        func = call.func
        if not isinstance(func, cst.Attribute) or func.attr.value != "save_pretrained":
            return False
        return not self.can(Idiom.SAVED) and self.script.is_a(func.value, Role.MODEL)

    def _say(self, call: cst.Call, file: cst.Arg | None) -> None:
        if not ran_once(self.script, self.edits.target, call):
            return
        if not self.edits.alone.isdisjoint((call, *self.script.tree.ancestors(call))):
            return  # `checkpoint_save` puts it under a guard
        if file is not None and names_rank(self.script, file.value):
            return
        what = code_of(file.value) if file is not None else code_of(call.func)
        shown = what if len(what) <= 40 and "\n" not in what else "a file"
        self.note("TC611", call, f"every process writes {shown}: one did before")
