"""Say what the hyperparameters of a compiled job need.

The launcher of a job on several GPUs joins all hyperparameters with spaces and has a shell read them: one with a space
or a `$` in it does not arrive as it was given.

Batch size and learning rate are the author's and are never edited. A compiled model leaves more memory for the batch,
and several processes make the batch larger; the learning rate goes with it.
"""

from __future__ import annotations

import re

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.codemod import Codemod
from codemods.kit.containers import Start, gpus
from codemods.kit.jobs import Job, read_jobs
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.settings import Entry
from codemods.kit.targets import Launcher

_PLAIN = re.compile(r"[\w@%+=:,./-]*")
"""What a shell leaves as it is."""
_RATE = re.compile(r"(\w+[_-])?(learning[_-]?rate|lr)", re.IGNORECASE)
_BATCH = re.compile(r"(per[_-]device[_-])?(train(ing)?[_-])?(batch([_-]?size)?|bs)", re.IGNORECASE)
_TIPS = "SageMaker: Training Compiler, best practices, batch size and learning rate"


class EstimatorHyperparameters(Codemod):
    """Say what the hyperparameters of a compiled job need."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("SM013", "a hyperparameter that the launcher's shell takes apart", Safety.NOTE, Severity.WARNING,
             "write it without spaces and shell characters, or put it into a file of source_dir",
             "sagemaker-training-toolkit 4.8 PyTorchXLARunner: the command line is not quoted"),
        Rule("LC18", "a batch size, which can be larger once the job is compiled", Safety.NOTE, Severity.INFO,
             "try the largest batch that fits; k times the batch takes k times the learning rate with SGD, and up to "
             "sqrt(k) times with Adam", _TIPS),
        Rule("SM024", "a learning rate for one process in a job with several", Safety.NOTE, Severity.INFO,
             "multiply it by the number of processes with SGD, by up to its square root with Adam, or make the batch "
             "of each process as much smaller", _TIPS),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.pytorch import PyTorch\n\njob = PyTorch(\n"
            '    entry_point="train.py",\n    instance_type="ml.p3.8xlarge",\n    instance_count=1,\n'
            '    hyperparameters={"name": "first try"},\n)\n'
        ),
    )

    def rewrite(self) -> None:
        self._said: set[tuple[str, cst.CSTNode]] = set()
        for job in read_jobs(self.script, self.edits.target):
            entries = job.estimator.items("hyperparameters")
            if job.obstacle is None and entries is not None:
                self._check(job, entries.by_key)

    def _check(self, job: Job, given: dict[str, Entry]) -> None:
        if job.several and job.container.start is Start.PYTORCHXLA:
            for entry in given.values():
                shown = self._taken_apart(entry)
                if shown:
                    self._say("SM013", entry, f"{entry.key}={shown} goes through a shell, unquoted")
        rate = next((entry for key, entry in given.items() if _RATE.fullmatch(key)), None)
        batch = next((entry for key, entry in given.items() if _BATCH.fullmatch(key)), None)
        if batch is not None:
            beside = f", {rate.key} {code_of(rate.value)}" if rate is not None else ""
            self._say("LC18", batch, f"{batch.key} {code_of(batch.value)}{beside}")
        is_first = job.estimator.lacks("distribution") and "training_script" not in given
        if rate is not None and job.several and is_first:
            self._say("SM024", rate, f"{rate.key} {code_of(rate.value)} is for one process; {self._processes(job)}")

    def _say(self, rule: str, entry: Entry, message: str) -> None:
        if (rule, entry.node) not in self._said:
            self._said.add((rule, entry.node))
            self.note(rule, entry.value, message)

    def _processes(self, job: Job) -> str:
        each = {gpus(name) for name in job.instance_types}
        count = each.pop() if len(each) == 1 else None
        if count is None or job.instance_count is None:
            return "there will be one for each GPU"
        return f"there will be {count * job.instance_count}"

    def _taken_apart(self, entry: Entry) -> str:
        """The value as the shell sees it, when it does not stay whole; empty when it does, or is not known."""
        value = self.script.estimators.literals.value(entry.value)
        if not _PLAIN.fullmatch(entry.key):
            return code_of(entry.value)
        if isinstance(value, str):
            return "" if _PLAIN.fullmatch(value) else repr(value)
        return code_of(entry.value) if isinstance(entry.value, cst.List | cst.Tuple | cst.Dict) else ""
