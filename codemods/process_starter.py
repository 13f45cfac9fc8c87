"""Say where a script starts one process for each GPU by itself.

Scripts from before torchrun have a launcher of their own: a loop over `torch.cuda.device_count()` that starts
`train.py --rank=i` with `subprocess.Popen`. torch_xla's launcher starts the processes, so this one has no work any
more: were it kept, each process it starts would start as many again. It is left as it is, and not made to ask torch_xla
for its devices, which would keep the processes from getting them. Others make a `multiprocessing.Process` for each
rank, as the first tutorials of torch.distributed do: that loop is left too, and has to become a launch.
"""

from __future__ import annotations

from codemods.kit.codemod import Codemod
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.starters import counts_for_starters, process_loops, starters


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
