"""Say what a notebook cannot do, and what in it is no Python.

A notebook is one process. Its training is migrated to one XLA device: `DataParallel` goes. Processes cannot be started
from it by `mp.spawn`, and it cannot be one of the processes of `torchrun`: code of that kind belongs into a script, so
such a notebook is left as it is. A cell `%%writefile train.py` holds a script, which is migrated as one.

Magics and shell lines (`%env CUDA_VISIBLE_DEVICES=0`, `!nvidia-smi`, `!torchrun train.py`, `%%bash` cells) stay byte
for byte; those that concern CUDA are named. A cell that does not parse is left alone when it has nothing to do with the
training, and named; else the whole notebook is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from codemods.kit.cell_marks import BROKEN, MAGIC
from codemods.kit.cells import stand_in
from codemods.kit.codemod import Codemod
from codemods.kit.launch import INIT, SPAWN, Launch
from codemods.kit.roles import WRAPPERS
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.script import Script

_MAGICS = (
    (re.compile(r"torchrun|torch\.distributed\.(?:launch|run)\b|\bhorovodrun|\bmpirun|\bmpiexec|accelerate launch"
                r"|\bdeepspeed .*\.py"), "starts processes for CUDA"),
    (re.compile(r"(?:pip3?|conda|mamba)\b.*(?:\+cu\d|/whl/cu\d|cudatoolkit|pytorch-cuda|nvidia|\bapex\b|cu1\d\d)"),
     "installs a build for CUDA"),
    (re.compile(r"nvidia-smi|nvcc|CUDA_|NCCL_"), "speaks to CUDA or the GPU"),
    (re.compile(r"\.cuda\(|torch\.cuda|[\"']cuda|--device[ =]cuda"), "uses CUDA where it is not rewritten"),
)  # fmt: skip
_DOCUMENT = "torch_xla 2.9 docs, PJRT runtime: processes are started from a script"


class Notebook(Codemod):
    """Say what a notebook cannot do, and what in it is no Python."""

    STAGE = Stage.LAUNCH
    RULES = (
        Rule("TC781", "a notebook that needs several processes", Safety.NOTE, Severity.ERROR,
             "nothing in it is edited: put the training into a script (`%%writefile train.py`) and launch that",
             _DOCUMENT),
        Rule("TC782", "a notebook trains on one device", Safety.NOTE, Severity.WARNING,
             "put the training into a script and launch it in one process for each device, if one is too slow",
             _DOCUMENT),
        Rule("TC783", "a magic or a shell line that concerns CUDA", Safety.NOTE, Severity.WARNING,
             "it stays as it is: take it out, or say the same for the XLA device"),
        Rule("TC784", "a cell that does not parse", Safety.NOTE, Severity.WARNING,
             "it is left as it is: IPython runs nothing of it either"),
    )  # fmt: skip
    EXAMPLES = (
        Example(before="import torch\n\nmodel = torch.nn.DataParallel(torch.nn.Linear(4, 1))\n"),
        Example(before="import torch.multiprocessing as mp\n\nmp.spawn(worker, nprocs=4)\n"),
    )

    @classmethod
    def suits(cls, script: Script) -> bool:
        return bool(script.cells)

    def rewrite(self) -> None:
        if not self.script.cells:
            return
        for line in self.script.tree.all(cst.SimpleStatementLine):
            self._speak_of(line)
        launch = self.script.launch
        if launch.kind in (Launch.SPAWN, Launch.ENVIRONMENT):
            self._refuse()
            return
        for call in self._calls("DataParallel"):
            self.note("TC782", call, "one process drives one device: DataParallel goes")

    def _speak_of(self, line: cst.SimpleStatementLine) -> None:
        kind, text = stand_in(line)
        if kind == BROKEN:
            self.note("TC784", line, f"this cell does not parse: {text}")
        elif kind == MAGIC:
            said = next((said for pattern, said in _MAGICS if pattern.search(text)), "")
            if said:
                self.note("TC783", line, f"{said}: {text if len(text) <= 60 else text[:57] + '...'}")

    def _refuse(self) -> None:
        first = next(iter((*self.script.calls(*SPAWN, *INIT), *self._calls("DistributedDataParallel"))), None)
        place = first or self.script.module.body[0]
        message = "a notebook is one process: it neither spawns workers nor joins their group"
        self.note("TC781", place, message)
        self.edits.refuse(self.name(), self.rule("TC781"), place, "needs several processes, and a notebook is one")

    def _calls(self, kind: str) -> Iterator[cst.Call]:
        """The calls that wrap a model so."""
        for name, wrapper in WRAPPERS.items():
            if wrapper == kind:
                yield from self.script.calls(name)
