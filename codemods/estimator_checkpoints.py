"""Say where the checkpoints of a compiled job meet the Debugger, or those of an earlier job.

SageMaker copies what a job writes to `checkpoint_s3_uri`. With the Debugger on this is slow, and the SDK turns the
Debugger off by itself only for a PyTorch estimator that has `checkpoint_local_path` too. And a job that is given the
same place as an earlier one starts with that one's files in it.
"""

from __future__ import annotations

from codemods.kit.codemod import Codemod
from codemods.kit.jobs import Job, read_jobs
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher


class EstimatorCheckpoints(Codemod):
    """Say where the checkpoints of a compiled job meet the Debugger, or those of an earlier job."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("SM021", "checkpoints are copied while the Debugger is on", Safety.NOTE, Severity.WARNING,
             "give debugger_hook_config=False: the SDK turns the Debugger off for PyTorch estimators only, and only "
             "with checkpoint_local_path",
             "SageMaker Python SDK 2.257.7 sagemaker/estimator.py _validate_and_set_debugger_configs"),
        Rule("SM022", "every job writes its checkpoints to the same place", Safety.NOTE, Severity.INFO,
             "give each job a place of its own, unless it is to go on where the last one stopped",
             "SageMaker developer guide, Troubleshooting for Model Parallel, Saving Checkpoints"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'estimator = PyTorch(entry_point="train.py", checkpoint_s3_uri="s3://bucket/checkpoints")\n',
        ),
    )

    def rewrite(self) -> None:
        for job in read_jobs(self.script, self.edits.target):
            if job.obstacle is not None or job.estimator.argument("checkpoint_s3_uri") is None:
                continue
            if job.debugging and not self._is_turned_off(job):
                self.note("SM021", job.call, "the Debugger stays on, and checkpoint_s3_uri is given")
            if job.estimator.text("checkpoint_s3_uri"):
                self.note("SM022", job.call, "checkpoint_s3_uri is the same for every job")

    def _is_turned_off(self, job: Job) -> bool:
        """Whether the hook is off: by its argument, or by the SDK itself."""
        if job.estimator.literal("debugger_hook_config") is False:
            return True
        local = job.estimator.literal("checkpoint_local_path")
        return job.estimator.framework == "PyTorch" and local is not None
