"""Turn SageMaker's Debugger and profiler off for a compiled job.

The SDK turns both on for every job that does not say otherwise, and both disturb the compiler: they read tensors in
every step, and AWS warns of it. `disable_profiler=True, debugger_hook_config=False` turns them off. A job that asks
for rules, for a profile or for tensors to be saved is left as it is, with a note: what it is worth is for its author to
say.
"""

from __future__ import annotations

from codemods.kit.codemod import Codemod
from codemods.kit.job_arguments import can_change, put_argument
from codemods.kit.jobs import Job, read_jobs
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher

_OFF = {"disable_profiler": (True, "the profiler"), "debugger_hook_config": (False, "the Debugger")}
_AFTER = ("framework_version", "transformers_version", "pytorch_version", "py_version", "compiler_config",
          "distribution", *_OFF)  # fmt: skip


class EstimatorDebugger(Codemod):
    """Turn SageMaker's Debugger and profiler off for a compiled job."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("SM008", "the Debugger or the profiler of a compiled job is on", Safety.EXACT, Severity.WARNING,
             "give disable_profiler=True, debugger_hook_config=False, and no rules",
             "SageMaker developer guide, Enable Training Compiler, Run PyTorch Training Jobs, Warning"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'estimator = PyTorch(entry_point="train.py", py_version="py39")\n',
            smtc="from sagemaker.pytorch import PyTorch\n\n"
            'estimator = PyTorch(entry_point="train.py", py_version="py39", disable_profiler=True, '
            "debugger_hook_config=False)\n",
        ),
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'estimator = PyTorch(entry_point="train.py", rules=rules)\n',
        ),
    )

    def rewrite(self) -> None:
        self._jobs = [job for job in read_jobs(self.script, self.edits.target) if job.obstacle is None]
        for job in self._jobs:
            self._check(job)

    def _check(self, job: Job) -> None:
        own = job.estimator
        missing = [keyword for keyword in _OFF if own.literal(keyword) is None]
        kept = [k for k, (off, _) in _OFF.items() if own.argument(k) is not None and own.literal(k) not in (None, off)]
        if job.debugging or kept:
            given = ", ".join(dict.fromkeys([*job.debugging, *kept]))
            self.note("SM008", job.call, f"the Debugger or the profiler is asked for: {given}")
            return
        alike = [other.estimator for other in self._jobs if not other.debugging]
        if not missing:
            return
        if not all(can_change(self.script, own, keyword, alike) for keyword in missing):
            self.note("SM008", job.call, "what turns them off cannot be given here")
            return
        edit = self.edit("SM008", job.call, f"turns off {' and '.join(_OFF[keyword][1] for keyword in missing)}")
        for keyword in missing:
            put_argument(edit, self.script, own, keyword, str(_OFF[keyword][0]), alike, _AFTER)
