"""Start one process for each GPU with `pytorchxla`, the only way the Training Compiler knows.

A job with several GPUs, in one machine or in many, gets `distribution={"pytorchxla": {"enabled": True}}` in place of
SageMaker's data parallel library, of torchrun (`torch_distributed`) and of MPI. A job with one GPU gets no
`distribution`. The number of GPUs follows from `instance_type` and `instance_count`; where they are not known here, as
in a function that is given them, a `distribution` that is there says that there are several, and one that is missing is
a note. A script that is written for one process stays one, on a machine with several GPUs too.

AWS's own pages say `torchxla` in places: the SDK refuses it, or takes it in silence and starts one process only. And
where `pytorchxla` stands beside another key, the container starts the other.
"""

from __future__ import annotations

from typing import Any

import libcst as cst

from codemods.kit.build import code_of, parsed
from codemods.kit.codemod import Codemod
from codemods.kit.containers import Start
from codemods.kit.estimators import Argument, Estimator
from codemods.kit.job_arguments import can_change, drop_argument, put_argument, rename_argument
from codemods.kit.jobs import Job, read_jobs
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.settings import UNKNOWN
from codemods.kit.targets import Launcher

_XLA = "pytorchxla"
_MISSPELT = frozenset(("torchxla", "torch_xla", "pytorch_xla", "xla"))
_AFTER = ("framework_version", "transformers_version", "pytorch_version", "py_version", "compiler_config")
_ENABLE = "SageMaker developer guide, Enable Training Compiler, Run PyTorch Training Jobs, distributed training"
_SDK = "SageMaker Python SDK 2.257.7 sagemaker/pytorch/training_compiler/config.py validate"
_RUNNER = "sagemaker-pytorch-training 2.6.1 sagemaker_pytorch_container/training.py"


class EstimatorDistribution(Codemod):
    """Start one process for each GPU with `pytorchxla`, the only way the Training Compiler knows."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("SM001", "a distribution that the SDK does not know: torchxla for pytorchxla", Safety.EXACT,
             Severity.ERROR, document=_SDK),
        Rule("SM002", "processes started in a way that the Training Compiler does not know", Safety.REVIEW,
             Severity.ERROR, 'give distribution={"pytorchxla": {"enabled": True}}, or none for one GPU', _ENABLE),
        Rule("SM009", "several GPUs and no pytorchxla: one of them works", Safety.REVIEW, Severity.WARNING,
             'with several GPUs give distribution={"pytorchxla": {"enabled": True}}, with one GPU none', _ENABLE),
        Rule("SM010", "pytorchxla for one GPU", Safety.EXACT, Severity.WARNING, document=_ENABLE),
        Rule("SM012", "pytorchxla beside another way of starting the processes, which wins", Safety.REVIEW,
             Severity.ERROR, "leave pytorchxla alone in the distribution", _RUNNER),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.pytorch import PyTorch\n\nestimator = PyTorch(\n"
            '    entry_point="train.py",\n    instance_count=2,\n    instance_type="ml.p3.16xlarge",\n'
            '    distribution={"smdistributed": {"dataparallel": {"enabled": True}}},\n)\n',
            smtc="from sagemaker.pytorch import PyTorch\n\nestimator = PyTorch(\n"
            '    entry_point="train.py",\n    instance_count=2,\n    instance_type="ml.p3.16xlarge",\n'
            '    distribution={"pytorchxla": {"enabled": True}},\n)\n',
        ),
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'estimator = PyTorch(entry_point="train.py", instance_count=1, instance_type="ml.p3.2xlarge")\n',
        ),
    )

    def rewrite(self) -> None:
        self._done: set[cst.CSTNode] = set()
        self._jobs = [job for job in read_jobs(self.script, self.edits.target) if job.obstacle is None]
        for job in self._jobs:
            self._decide(job)

    def _decide(self, job: Job) -> None:
        own = job.estimator
        values = own.values("distribution")
        if own.lacks("distribution") or (values and all(value in (None, {}) for value in values)):
            self._start(job)
        elif not values:
            self._doubt(job, "whether it has a distribution is not known here")
        elif self._is_single(job) and can_change(self.script, own, "distribution", self._alike(job)):
            self._drop(job)
        else:
            for candidate, value in self._candidates(own, values):
                if candidate not in self._done:
                    self._done.add(candidate)
                    self._change(job, candidate, value)

    def _candidates(self, own: Estimator, values: list[Any]) -> list[tuple[cst.BaseExpression, Any]]:
        """Every expression that `distribution` may have its value from; a choice between two that both become
        pytorchxla is no choice any more."""
        argument = own.argument("distribution")
        choice = argument.value if argument is not None else None
        if isinstance(choice, cst.IfExp) and all(_is_foreign(value) for value in values):
            return [(choice, {key: inner for value in values for key, inner in value.items()})]
        return list(zip(own.candidates("distribution"), values, strict=True))

    def _is_single(self, job: Job) -> bool:
        """Whether the SDK is to start one process: for one GPU, or for a container whose entry point starts them."""
        return job.several is False or job.container.start is not Start.PYTORCHXLA

    def _alike(self, job: Job) -> list[Estimator]:
        """The jobs that are to be started in the same way."""
        return [other.estimator for other in self._jobs if self._is_single(other) == self._is_single(job)]

    def _quoted(self, enabled: str = "True") -> str:
        return f"{{{self.quoted(_XLA)}: {{{self.quoted('enabled')}: {enabled}}}}}"

    # --- a job without a distribution -----------------------------------------------------------------------------

    def _start(self, job: Job) -> None:
        if self._is_single(job):
            return
        alike, script = self._alike(job), self.script.links.jobs.get(self.script.tree.order[job.call])
        if job.several is None:
            self._doubt(job, "how many GPUs it has is not known here")
        elif script is not None and script.role.is_single:
            self._doubt(job, f"{job.devices}, and {script.file} is written for one process: it stays one")
        elif not can_change(self.script, job.estimator, "distribution", alike):
            self._doubt(job, f"{job.devices} and no distribution")
        else:
            edit = self.edit("SM009", job.call, f"starts a process for each of {job.devices}")
            # Beside the machines that it is for: not in settings that serve jobs on others.
            own = job.estimator
            sharing = [] if _names_machines(own) else [other for other in alike if not _names_machines(other)]
            put_argument(edit, self.script, own, "distribution", self._quoted(), sharing, _AFTER)

    def _doubt(self, job: Job, message: str) -> None:
        self.note("SM009", job.call, message)

    # --- a job with one -------------------------------------------------------------------------------------------

    def _drop(self, job: Job) -> None:
        argument = job.estimator.argument("distribution")
        if argument is None or argument.node in self._done:
            return
        self._done.add(argument.node)
        keys = job.distributions
        rule = "SM010" if keys == {_XLA} else "SM001" if keys & _MISSPELT else "SM012" if _XLA in keys else "SM002"
        alone = "one GPU needs none" if job.several is False else "its entry point starts the processes"
        edit = self.edit(rule, argument.node, f"distribution goes: {alone}")
        drop_argument(edit, self.script, job.estimator, "distribution", self._alike(job))

    def _change(self, job: Job, candidate: cst.BaseExpression, value: Any) -> None:
        """Make one value that `distribution` may have into pytorchxla."""
        if value is None:
            return
        if not isinstance(value, dict) or UNKNOWN in value:
            self._doubt(job, "what its distribution is cannot be seen here")
        elif value.keys() == {_XLA}:
            if value[_XLA] == {"enabled": False} and job.several:
                self._doubt(job, f"{job.devices}, and its distribution is disabled")
        else:
            self._replace(job, candidate, value)

    def _replace(self, job: Job, candidate: cst.BaseExpression, value: dict[Any, Any]) -> None:
        rule = "SM012" if _XLA in value else "SM001" if value.keys() & _MISSPELT else "SM002"
        argument = job.estimator.argument("distribution")
        shared = self._is_shared(candidate)
        if not shared:
            place = candidate
        elif (
            UNKNOWN not in value.values()
            and argument is not None
            and argument.inline
            and len(job.estimator.candidates("distribution")) == 1
        ):
            place = argument.value
        else:
            self.note(rule, job.call, f"{_names(value)} in a distribution that is used elsewhere too")
            return
        edit = self.edit(rule, candidate, f"{_XLA} starts the processes, not {_names(value)}")
        entries = self.script.estimators.literals.entries(candidate)
        if place is candidate and value.keys() <= _MISSPELT and entries is not None and len(entries.by_key) == 1:
            (entry,) = entries.by_key.values()
            rename_argument(edit, Argument(entry.key, entry.value, entry.node, False), _XLA)
        else:
            edit.replace(place, parsed(self._quoted(self._enabled(candidate))))

    def _is_shared(self, candidate: cst.BaseExpression) -> bool:
        """Whether a distribution is also that of a job that stays as it is, or what is in it is used elsewhere."""
        users = self.script.estimators.users(candidate)
        if not all(any(user is other.estimator for other in self._jobs) for user in users):
            return True
        tree = self.script.tree
        assign = tree.parent.get(candidate)
        if not isinstance(assign, cst.Assign):
            return False
        code = code_of(assign.targets[0].target)
        looks: list[cst.Subscript | cst.Attribute] = [*tree.all(cst.Subscript), *tree.all(cst.Attribute)]
        return any(code_of(look.value) == code for look in looks)

    def _enabled(self, candidate: cst.BaseExpression) -> str:
        """What the old distribution gives as `enabled`, in code."""
        found = [
            element.value
            for element in self.script.tree.inside(candidate, cst.DictElement)
            if self.script.estimators.literals.value(element.key) == "enabled"
        ]
        return code_of(found[0]) if len(found) == 1 else "True"


def _names_machines(estimator: Estimator) -> bool:
    """Whether the call itself, and no dictionary that it unpacks, says what it runs on."""
    given = estimator.argument("instance_type")
    return given is not None and given.inline


def _is_foreign(value: Any) -> bool:
    """Whether a distribution starts processes in another way than pytorchxla."""
    return isinstance(value, dict) and bool(value) and not value.keys() & {_XLA, UNKNOWN}


def _names(value: dict[Any, Any]) -> str:
    """`smdistributed.dataparallel`, `mpi and torch_distributed`."""
    found = []
    for key, inner in value.items():
        if key == "smdistributed" and isinstance(inner, dict):
            found += [f"{key}.{name}" for name in inner if isinstance(name, str)]
        elif key != _XLA:
            found.append(str(key))
    return " and ".join(found)
