"""Say of each job that is left as it is why it cannot be compiled, or need not be.

A job whose model is split by SageMaker's model parallel library is refused by the Training Compiler; whether the model
fits on one GPU without it is not for this tool to guess. The same holds for a script that stands on DeepSpeed or FSDP.
Jobs in an image for another framework and `ModelTrainer` of version 3 of the SDK have no compiler for PyTorch. And
where the arguments of an estimator come from a `**settings` that cannot be followed, or from a class of the script's
own, nothing is edited: the note says what to give.
"""

from __future__ import annotations

from codemods.kit.codemod import Codemod
from codemods.kit.estimators import GENERIC, MODEL_TRAINER
from codemods.kit.jobs import Job, Obstacle, read_jobs
from codemods.kit.model_trainers import as_estimator
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher

_WANTED = "compiler_config=TrainingCompilerConfig(), disable_profiler=True, debugger_hook_config=False"

_SAID_ELSEWHERE = (Obstacle.INSTANCE, Obstacle.GROUPS, Obstacle.CONTAINER)
"""By the codemods estimator_instances and estimator_versions."""
_MEANT = (Obstacle.LOCAL, Obstacle.BASELINE)
"""Jobs that are hardly meant to be compiled."""


class UncompilableJob(Codemod):
    """Say of each job that is left as it is why it cannot be compiled, or need not be."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("SM020", "a model that SageMaker's model parallel library splits", Safety.NOTE, Severity.ERROR,
             "train it without the library if it fits on one GPU, else leave the Training Compiler out",
             document="SageMaker developer guide, Training Compiler FAQ"),
        Rule("LC05", "a job that is not made ready for the Training Compiler", Safety.NOTE, Severity.WARNING,
             "to have it compiled make it a PyTorch job on SageMaker, with its arguments written beside it",
             document="SageMaker developer guide, Training Compiler, Supported Frameworks"),
        Rule("LC22", "a job that is not meant to be compiled", Safety.NOTE, Severity.INFO,
             "nothing has to be done; to have it compiled give it a compiler_config, and machines of SageMaker's",
             document="SageMaker developer guide, Training Compiler, Supported Frameworks"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n\ndef estimator(**settings):\n"
            '    return PyTorch(entry_point="train.py", **settings)\n',
        ),
    )

    def rewrite(self) -> None:
        for job in read_jobs(self.script, self.edits.target):
            if job.obstacle is Obstacle.MODEL_PARALLEL:
                self.note("SM020", job.call, "the Training Compiler does not work with model parallelism")
            elif job.is_tensorflow:
                self.note("LC22", job.call, "it trains with TensorFlow, and is left as it is")
            elif job.obstacle in _MEANT:
                self.note("LC22", job.call, str(job.obstacle.value))
            elif job.obstacle not in (None, *_SAID_ELSEWHERE) and job.is_ours:
                self.note("LC05", job.call, self._reason(job))
        for found in self.script.estimators.subclasses:
            self.note("LC05", found, f"{found.name.value} is an estimator of the script's own: give it {_WANTED}")

    def _reason(self, job: Job) -> str:
        if job.estimator.name == MODEL_TRAINER:
            v2 = "it is in version 2 of the SageMaker SDK, `pip install 'sagemaker<3'`"
            return f"ModelTrainer has no compiler: {v2}, as {as_estimator(job)}"
        if job.estimator.name == GENERIC:
            return "Estimator has no compiler_config: make it a PyTorch estimator"
        if job.obstacle is Obstacle.UNSEEN:
            what = f"{' and '.join(job.hidden)} can't" if job.hidden else "not all of its arguments can"
            given = {keyword: f'"{value}"' for keyword, value in job.container.versions.items()}
            given["distribution"] = '{"pytorchxla": {"enabled": True}} for several GPUs'
            wanted = [_WANTED, *(f"{each}={given[each]}" for each in job.hidden if each in given)]
            return f"{what} be seen here: see that it gets {', '.join(wanted)}"
        if job.obstacle is Obstacle.SCRIPT:
            return job.hindrance
        assert job.obstacle is not None
        return str(job.obstacle.value)
