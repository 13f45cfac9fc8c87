"""Ask for the versions of a Training Compiler container.

There are five containers. An estimator that asks for other versions, or for the right ones with another Python, is
refused by the SDK when the job is started: `Unsupported Python version: py3`. A job of the PyTorch class gets the
versions of the target's container. A HuggingFace job whose versions have a container keeps them, since its script is
written for its transformers; one with an older torch gets the last HuggingFace container, and one with torch 1.12 or
newer becomes a PyTorch job (the codemod estimator_class). A job that keeps a container with an older torch than the
target's needs a script that is migrated for that torch.

With the target `smtc==1.11` a PyTorch job is left as it is: that container runs HuggingFace jobs only.

What is behind a function's parameter, or in a dictionary that cannot be seen, stays: a note says what it has to be.
"""

from __future__ import annotations

from codemods.kit.codemod import Codemod
from codemods.kit.containers import target_of, version_of
from codemods.kit.estimators import Estimator
from codemods.kit.job_arguments import can_change, put_argument
from codemods.kit.jobs import Job, Obstacle, read_jobs
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher, Target

_SOURCE = "SageMaker: Training Compiler, supported frameworks; SageMaker Python SDK 2.257.7 image_uri_config"
_BEFORE = ("instance_type", "instance_count", "transformers_version", "pytorch_version", "framework_version")


class EstimatorVersions(Codemod):
    """Ask for the versions of a Training Compiler container."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("SM005", "versions that no Training Compiler container has", Safety.REVIEW, Severity.ERROR,
             "give the versions of a container: the SDK refuses any others when the job is started", _SOURCE),
        Rule("SM017", "a HuggingFace job that does not say which Python", Safety.EXACT, Severity.ERROR,
             "give py_version: the HuggingFace estimator can't be made without it", _SOURCE),
        Rule("LC06", "the container has an older torch than the job asked for", Safety.NOTE, Severity.WARNING,
             "try the script and what it installs with this torch: nothing newer has a Training Compiler container",
             _SOURCE),
        Rule("LC21", "the container has an older torch than the target", Safety.NOTE, Severity.WARNING,
             "migrate the training script for the torch it runs with", _SOURCE),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'job = PyTorch(entry_point="train.py", framework_version="1.12", py_version="py38")\n',
            smtc="from sagemaker.pytorch import PyTorch\n\n"
            'job = PyTorch(entry_point="train.py", framework_version="1.13.1", py_version="py39")\n',
        ),
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'job = PyTorch(entry_point="train.py", framework_version="1.13", py_version="py39")\n'
        ),
    )

    def rewrite(self) -> None:
        self._said: set[Target] = set()
        for job in read_jobs(self.script, self.edits.target):
            if job.obstacle is Obstacle.CONTAINER:
                self.note("SM005", job.call, f"{job.obstacle.value}: take --target smtc==1.12 or smtc, or make it one")
            elif job.obstacle is None and not job.changes_class:
                self._check(job)

    def _check(self, job: Job) -> None:
        container = job.container
        if job.estimator.framework != container.estimator:
            self.note("SM005", job.call, "which torch the job asks for can't be seen here")
            return
        self._compare(job)
        wrong = self._wrong(job)
        if not wrong:
            return
        hidden = [keyword for keyword in container.versions if not self._is_seen(job.estimator, keyword)]
        wanted = ", ".join(f'{keyword}="{container.versions[keyword]}"' for keyword in wrong)
        if hidden or not all(can_change(self.script, job.estimator, each, self._alike(job)) for each in wrong):
            self.note("SM005", job.call, f"{' and '.join(hidden or wrong)} can't be changed here; needed: {wanted}")
            return
        self._give(job, wrong, wanted)
        older = version_of(job.estimator.text(_torch(job)) or "")
        has = version_of(container.pytorch)
        if older is not None and has is not None and older > has:
            self.note("LC06", job.call, f"torch {job.estimator.text(_torch(job))} becomes {container.pytorch}")

    def _compare(self, job: Job) -> None:
        """Say which target the training script is to be migrated for when it is another than this; once for each."""
        target = target_of(job.container)
        if target != self.edits.target and target not in self._said:
            self._said.add(target)
            less = ', without optim="adamw_torch_xla"' if job.container.has_transformers("4.11") else ""
            self.note("LC21", job.call, f"the container has torch {job.container.pytorch}: migrate the training script "
                      f"with --target {target}{less}")  # fmt: skip

    def _wrong(self, job: Job) -> list[str]:
        """The version arguments that do not say the container's, in the order they are written."""
        container, own = job.container, job.estimator
        given = {keyword: own.text(keyword) or "" for keyword in container.versions}
        fits = {"py_version": given["py_version"] == container.python}
        fits[_torch(job)] = container.has_torch(given[_torch(job)])
        if "transformers_version" in given:
            fits["transformers_version"] = container.has_transformers(given["transformers_version"])
            lengths = {given[keyword].count(".") for keyword in ("transformers_version", "pytorch_version")}
            if len(lengths) > 1:  # the SDK takes both in full, or both short
                fits["transformers_version"] = fits["pytorch_version"] = False
        return [keyword for keyword in container.versions if not fits[keyword]]

    def _give(self, job: Job, wrong: list[str], wanted: str) -> None:
        own, container = job.estimator, job.container
        if wrong == ["py_version"] and own.framework == "HuggingFace" and own.lacks("py_version"):
            edit = self.edit("SM017", job.call, f"needs {wanted}")
        else:
            edit = self.edit("SM005", job.call, f"asks for the container: {wanted}")
        for keyword in wrong:
            value = self.quoted(container.versions[keyword])
            put_argument(edit, self.script, own, keyword, value, self._alike(job), _BEFORE, Stage.TIDY)

    def _is_seen(self, estimator: Estimator, keyword: str) -> bool:
        """Whether it is known which value an argument has, or that it has none."""
        return estimator.lacks(keyword) or estimator.literal(keyword) is None or estimator.text(keyword) is not None

    def _alike(self, job: Job) -> list[Estimator]:
        """The jobs that get the same container."""
        return [
            other.estimator
            for other in read_jobs(self.script, self.edits.target)
            if not other.obstacle and not other.changes_class and other.container == job.container
        ]


def _torch(job: Job) -> str:
    """The argument that says which torch."""
    return "framework_version" if job.container.estimator == "PyTorch" else "pytorch_version"
