"""Say where a model parallel job starts another number of processes than its machines have GPUs.

Such a job is left as it is: the Training Compiler does not work with SageMaker's model parallel library. AWS names
`processes_per_host` as the first thing to look at when it stalls.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from codemods.kit.codemod import Codemod
from codemods.kit.containers import gpus
from codemods.kit.jobs import Job, read_jobs
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher


class ProcessesPerHost(Codemod):
    """Say where a model parallel job starts another number of processes than its machines have GPUs."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("SM023", "a model parallel job with other than one process for each GPU", Safety.NOTE, Severity.WARNING,
             "give processes_per_host the number of GPUs of one machine",
             "SageMaker: model parallel troubleshooting, training stalls"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.pytorch import PyTorch\n\njob = PyTorch(\n"
            '    entry_point="train.py",\n    instance_type="ml.p3.16xlarge",\n    instance_count=1,\n'
            "    distribution={\n"
            '        "smdistributed": {"modelparallel": {"enabled": True}},\n'
            '        "mpi": {"enabled": True, "processes_per_host": 4},\n    },\n)\n'
        ),
    )

    def rewrite(self) -> None:
        for job in read_jobs(self.script, self.edits.target):
            counts = {gpus(name) for name in job.instance_types}
            if job.is_model_parallel and len(counts) == 1 and None not in counts:
                for count in set(self._processes(job)) - counts:
                    message = f"{count} processes on each machine, which has {counts.copy().pop()} GPUs"
                    self.note("SM023", job.call, message)

    def _processes(self, job: Job) -> Iterator[int]:
        """The number of processes on each machine that a `distribution` asks for."""
        for value in job.estimator.values("distribution"):
            started: Any = value.get("mpi") if isinstance(value, dict) else None
            count = started.get("processes_per_host") if isinstance(started, dict) else None
            if isinstance(count, int):
                yield count
