"""Give the environment of a job as text, and leave GPU_NUM_DEVICES to the launcher.

SageMaker takes nothing but strings in `environment`; a number is refused when the job is started. `GPU_NUM_DEVICES`,
which AWS's troubleshooting page has users set, is overwritten by the launcher of a job on several GPUs with what the
machine has, so it goes there. On one GPU it may stay, and has to be "1".
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of, parsed
from codemods.kit.codemod import Codemod
from codemods.kit.estimators import HUGGINGFACE, PYTORCH, Estimator
from codemods.kit.job_arguments import can_change, drop_argument, drop_item
from codemods.kit.jobs import Job, read_jobs
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.settings import Entries, Entry
from codemods.kit.targets import Launcher

_COUNT = "GPU_NUM_DEVICES"
_TROUBLE = "SageMaker: Training Compiler troubleshooting, missing XLA configuration"


class EstimatorEnvironment(Codemod):
    """Give the environment of a job as text, and leave GPU_NUM_DEVICES to the launcher."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("SM015", "a value of the environment that is no text", Safety.EXACT, Severity.ERROR,
             "write it as a string: SageMaker refuses the job otherwise",
             "SageMaker API, CreateTrainingJob, Environment"),
        Rule("SM016", "GPU_NUM_DEVICES, which the launcher sets", Safety.EXACT, Severity.WARNING,
             "leave it out for several GPUs, where the launcher sets it; for one GPU it is \"1\"",
             f"{_TROUBLE}; sagemaker-training-toolkit 4.8 PyTorchXLARunner"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'job = PyTorch(entry_point="train.py", environment={"OMP_NUM_THREADS": 8})\n',
            smtc="from sagemaker.pytorch import PyTorch\n\n"
            'job = PyTorch(entry_point="train.py", environment={"OMP_NUM_THREADS": "8"})\n',
        ),
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'job = PyTorch(entry_point="train.py", environment={"OMP_NUM_THREADS": "8"})\n'
        ),
    )

    def rewrite(self) -> None:
        self._done: set[cst.CSTNode] = set()
        jobs = read_jobs(self.script, self.edits.target)
        self._several = [job.estimator for job in jobs if job.several and job.obstacle is None]
        for job in jobs:
            entries = job.estimator.items("environment")
            if job.estimator.name not in (PYTORCH, HUGGINGFACE) or entries is None:
                continue
            for entry in entries.by_key.values():
                if entry.node not in self._done:
                    self._check(job, entries, entry)

    def _check(self, job: Job, entries: Entries, entry: Entry) -> None:
        self._done.add(entry.node)
        if entry.key == _COUNT and job.obstacle is None and job.several is not None:
            self._count(job, entries, entry)
            return
        if entry.key == _COUNT and job.obstacle is None:
            self.note("SM016", entry.value, "how many GPUs the job has is not known here")
        text = self._text(entry.value)
        if text is not None:
            self.edit("SM015", entry.value, f"{entry.key} is given as text").replace(entry.value, parsed(text))
        elif self._is_no_text(entry.value):
            self.note("SM015", entry.value, f"{entry.key} is {code_of(entry.value)}, which is no string")

    # --- the number of GPUs ---------------------------------------------------------------------------------------

    def _count(self, job: Job, entries: Entries, entry: Entry) -> None:
        if job.several:
            self._leave(job, entries, entry)
        elif self._value(entry.value) != "1":
            self.edit("SM016", entry.value, "the job has one GPU").replace(entry.value, parsed(self.quoted("1")))

    def _leave(self, job: Job, entries: Entries, entry: Entry) -> None:
        """Take the variable away, and the argument when nothing else is in it."""
        own = job.estimator
        users = [user for found in own.candidates("environment") for user in self.script.estimators.users(found)]
        if not all(user in self._several for user in users):
            self.note("SM016", entry.value, "the launcher sets it, and a job with one GPU has it too")
            return
        edit = self.edit("SM016", entry.value, f"the launcher sets it for {job.devices}")
        alone = entries.complete and not entries.unsure and len(entries.by_key) == 1
        if alone and can_change(self.script, own, "environment", self._several) and self._is_written_here(own):
            drop_argument(edit, self.script, own, "environment", self._several)
        else:
            drop_item(edit, entry.node)

    def _is_written_here(self, estimator: Estimator) -> bool:
        """Whether the dictionary is in the call, or where the call takes its arguments from."""
        return isinstance(estimator.arguments["environment"].value, cst.Dict)

    # --- text -----------------------------------------------------------------------------------------------------

    def _value(self, node: cst.BaseExpression) -> object:
        return self.script.estimators.literals.value(node)

    def _text(self, node: cst.BaseExpression) -> str | None:
        """A number as text, in code; None for what is not certainly one."""
        value = self._value(node)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return self.quoted(code_of(node)) if isinstance(node, cst.Integer | cst.Float) else f"str({code_of(node)})"

    def _is_no_text(self, node: cst.BaseExpression) -> bool:
        """Whether it is certainly True, False, None or a collection: how the script reads it, its author knows."""
        return isinstance(node, cst.List | cst.Tuple | cst.Dict) or (
            isinstance(node, cst.Name) and node.value in ("True", "False", "None")
        )
