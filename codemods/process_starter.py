"""Say where a script starts one process for each GPU by itself.

Scripts from before torchrun have a launcher of their own: a loop over `torch.cuda.device_count()` that starts
`train.py --rank=i` with `subprocess.Popen`. torch_xla's launcher starts the processes, so this one has no work any
more: were it kept, each process it starts would start as many again. It is left as it is, and not made to ask torch_xla
for its devices, which would keep the processes from getting them. Others make a `multiprocessing.Process` for each
rank, as the first tutorials of torch.distributed do: that loop is left too, and has to become a launch.

A console script of a setup.py, `train = package.train:main`, calls a function: it passes by the `__main__` of its
module, where torch_xla starts the processes. SageMaker's launcher knows no console scripts, and needs none.
"""

from __future__ import annotations

import re

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.options import text
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.starters import counts_for_starters, process_loops, starters
from codemods.kit.targets import Launcher


class ProcessStarter(Codemod):
    """Say where a script starts one process for each GPU by itself."""

    STAGE = Stage.TIDY
    RULES = (
        Rule("TC706", "processes that the script starts by itself", Safety.NOTE, Severity.ERROR,
             "start the script that trains instead, with the options that this one adds to its command line",
             "torch_xla 2.9 distributed/xla_multiprocessing.py spawn; SageMaker: Training Compiler, PyTorch models"),
        Rule("TC707", "processes that the script makes one by one", Safety.NOTE, Severity.ERROR,
             "call torch_xla.launch(worker, args=(...)) in place of the loop: the rank is passed first; on SageMaker "
             "let _mp_fn(index) call the worker",
             "torch_xla 2.9 distributed/xla_multiprocessing.py spawn; SageMaker: Training Compiler, PyTorch models"),
        Rule("TC709", "a console script that runs in one process", Safety.NOTE, Severity.ERROR,
             "let it call a function of that module that calls torch_xla.launch(_mp_fn), as its __main__ does",
             "torch_xla 2.9 torch_xla.py launch; Python packaging, entry points"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="import subprocess\nimport sys\n\nimport torch\n\nfor i in range(torch.cuda.device_count()):\n"
            '    subprocess.Popen([sys.executable, "train.py", f"--rank={i}"])\n',
        ),
    )

    def rewrite(self) -> None:
        loops = process_loops(self.script)
        for call in loops:
            self.note("TC707", call, "makes one process for each rank, which torch_xla's launcher does by itself")
        for call in starters(self.script):
            if call in loops:
                continue
            self.note("TC706", call, "starts one process for each GPU, which torch_xla's launcher does by itself")
        for count in counts_for_starters(self.script):
            self.note("TC706", count, "counts the GPUs to start one process for each: none where there is no CUDA")
        if self.edits.target.launcher is Launcher.TORCH_XLA and self.script.links.consoles:
            self._consoles()

    def _consoles(self) -> None:
        for node in self.script.tree.all(cst.SimpleString):
            for line in text(node).splitlines():
                called = re.sub(r"\s", "", line.partition("=")[2]).partition("[")[0]
                if called in self.script.links.consoles:
                    self.note("TC709", node, f"{called} is called in one process, which knows of no others")
