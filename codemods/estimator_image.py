"""Take away the image of a compiled job: the SDK picks the compiler's.

`image_uri` and `compiler_config` together are refused by the SDK, also for an image that has the compiler in it. What
else was in the image, as packages of the project, has to be in a `requirements.txt` in the `source_dir` from then on.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.job_arguments import can_change, drop_argument
from codemods.kit.jobs import Job, read_jobs
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher

_PUBLISHED = "763104351884.dkr.ecr."
"""The account that AWS publishes its own training images from, in most regions."""


class EstimatorImage(Codemod):
    """Take away the image of a compiled job: the SDK picks the compiler's."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("SM007", "a compiled job with an image of its own", Safety.REVIEW, Severity.ERROR,
             "take image_uri out: put what else is in the image into requirements.txt in the source_dir",
             "SageMaker developer guide, Enable Training Compiler, Run PyTorch Training Jobs, Note"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'estimator = PyTorch(entry_point="train.py", image_uri=image, py_version="py39")\n',
            smtc="from sagemaker.pytorch import PyTorch\n\n"
            'estimator = PyTorch(entry_point="train.py", py_version="py39")\n',
        ),
        Example(
            before="from sagemaker.tensorflow import TensorFlow\n\n"
            'estimator = TensorFlow(entry_point="train.py", image_uri=image)\n',
        ),
    )

    def rewrite(self) -> None:
        jobs = [job for job in read_jobs(self.script, self.edits.target) if job.obstacle is None]
        alike = [job.estimator for job in jobs]
        done: set[cst.CSTNode] = set()
        for job in jobs:
            argument = job.estimator.argument("image_uri")
            if argument is None or job.estimator.literal("image_uri") is None or argument.node in done:
                continue
            done.add(argument.node)
            if not can_change(self.script, job.estimator, "image_uri", alike):
                self.note("SM007", job.call, "image_uri is refused beside compiler_config")
                continue
            edit = self.edit("SM007", argument.node, self._message(job))
            drop_argument(edit, self.script, job.estimator, "image_uri", alike)

    def _message(self, job: Job) -> str:
        image = job.estimator.text("image_uri") or ""
        if _PUBLISHED in image:
            return "the SDK picks the compiler's image"
        folder = "requirements.txt" if job.brings_files else "a source_dir with a requirements.txt"
        return f"the SDK picks the compiler's image: what else was in this one goes into {folder}"
