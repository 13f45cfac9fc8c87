"""Name the machines of a job in the way, and of the kind, that the Training Compiler takes.

It takes no `instance_groups`: one group becomes `instance_type` and `instance_count`. The names of version 1 of the
SDK, `train_instance_type` and the like, become those of version 2, the first with a Training Compiler. It runs on
machines of the classes p3, p3dn, g4dn, p4d and g5; which of them is wanted is the author's to say.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.call_layout import with_argument_after
from codemods.kit.codemod import Codemod
from codemods.kit.containers import has_efa, instance_class, instance_classes
from codemods.kit.edits import Edit
from codemods.kit.estimators import HUGGINGFACE, PYTORCH
from codemods.kit.job_arguments import assignment_for, rename_argument
from codemods.kit.jobs import Job, Obstacle, read_jobs
from codemods.kit.names import argument
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher

_GROUP = (("instance_type", 1), ("instance_count", 2))
"""The arguments of `InstanceGroup` after its name, with their positions."""
_SUPPORT = "SageMaker: Training Compiler, supported instance types; SageMaker Python SDK 2.257.7 training_compiler"


class EstimatorInstances(Codemod):
    """Name the machines of a job in the way, and of the kind, that the Training Compiler takes."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("SM004", "machines that the Training Compiler does not run on", Safety.NOTE, Severity.ERROR,
             "choose one of the classes p3, p3dn, g4dn, p4d and g5", _SUPPORT),
        Rule("LC15", "instance_groups, which the Training Compiler does not take", Safety.EXACT, Severity.ERROR,
             "give instance_type and instance_count: all machines of the job are of one type", _SUPPORT),
        Rule("LC20", "several machines that the Elastic Fabric Adapter does not join", Safety.NOTE, Severity.INFO,
             "one machine with more GPUs, or ml.p3dn.24xlarge, ml.p4d.24xlarge, ml.g4dn.8xlarge, ml.g4dn.12xlarge or "
             "ml.g5.48xlarge, spend less time on the average of the gradients",
             "SageMaker: Training Compiler, best practices; SageMaker Python SDK 2.257.7 pytorch/training_compiler"),
        Rule("LC16", "arguments as version 1 of the SDK calls them", Safety.EXACT,
             document="SageMaker Python SDK, use version 2.x"),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'job = PyTorch(entry_point="train.py", train_instance_type="ml.p3.2xlarge", train_instance_count=1)\n',
            smtc="from sagemaker.pytorch import PyTorch\n\n"
            'job = PyTorch(entry_point="train.py", instance_type="ml.p3.2xlarge", instance_count=1)\n',
        ),
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'job = PyTorch(entry_point="train.py", instance_type="ml.p2.xlarge", instance_count=1)\n'
        ),
    )

    def rewrite(self) -> None:
        self._renamed: set[cst.CSTNode] = set()
        for job in read_jobs(self.script, self.edits.target):
            if job.estimator.name not in (PYTORCH, HUGGINGFACE):
                continue
            self._name(job)
            if job.obstacle is Obstacle.GROUPS:
                self.note("LC15", job.call, "the Training Compiler takes no instance_groups")
            elif job.estimator.argument("instance_groups") is not None and job.obstacle is None:
                self._group(job)
            for name in job.instance_types if job.obstacle is not Obstacle.MODEL_PARALLEL else ():
                self._check(job, name)
            self._join(job)

    def _check(self, job: Job, name: str) -> None:
        """A job on machines without GPUs is no business of the compiler's, unless it asks for it."""
        family = instance_class(name)
        if name == "local" and job.obstacle is None:
            self.note("SM004", job.call, "the SDK takes no compiler_config with instance_type='local'")
        if not family or family in instance_classes() or not (job.is_configured or family.startswith(("p", "g"))):
            return
        self.note("SM004", job.call, f"the Training Compiler does not run on {name}")

    def _join(self, job: Job) -> None:
        slow = [name for name in job.instance_types if not has_efa(name)]
        if slow and job.obstacle is None and job.instance_count is not None and job.instance_count > 1:
            self.note("LC20", job.call, f"{job.instance_count} machines of type {slow[0]}")

    def _name(self, job: Job) -> None:
        for keyword, found in job.estimator.arguments.items():
            if found.keyword == keyword or found.node in self._renamed:
                continue
            if all(user.name in (PYTORCH, HUGGINGFACE) for user in self.script.estimators.users(found.node)):
                self._renamed.add(found.node)
                rename_argument(self.edit("LC16", found.node, f"{found.keyword} is called {keyword}"), found, keyword)

    # --- groups ---------------------------------------------------------------------------------------------------

    def _group(self, job: Job) -> None:
        own = job.estimator
        group = self._only_group(job)
        found = {keyword: argument(group, place, keyword) for keyword, place in _GROUP} if group is not None else {}
        kind, count = found.get("instance_type"), found.get("instance_count")
        clear = own.lacks("instance_type") and own.lacks("instance_count")
        given = own.arguments["instance_groups"]
        if kind is None or count is None or not clear or not given.inline or self._is_named():
            self.note("LC15", job.call, "the Training Compiler takes no instance_groups")
            return
        edit = self.edit("LC15", given.node, "the machines of the only group are the job's")
        rename_argument(edit, given, "instance_type")
        edit.replace(given.node, lambda updated: updated.with_changes(value=kind.value))
        room, indent = self.script.tree.room(job.call), self.script.tree.indent
        after = ("instance_type",)
        edit.replace(
            job.call,
            lambda updated: with_argument_after(updated, after, "instance_count", count.value, room, indent),
        )
        self._forget(edit, given.value)

    def _only_group(self, job: Job) -> cst.Call | None:
        """The call that makes the only group of a job; None when there are several, or it can't be seen."""
        for listed in job.estimator.candidates("instance_groups"):
            if isinstance(listed, cst.List | cst.Tuple) and len(listed.elements) == 1:
                for group in self.script.estimators.literals.candidates(listed.elements[0].value):
                    if isinstance(group, cst.Call) and code_of(group.func).endswith("InstanceGroup"):
                        return group
        return None

    def _forget(self, edit: Edit, given: cst.BaseExpression) -> None:
        """Take away the variable that held only the group."""
        if isinstance(given, cst.List | cst.Tuple):
            name = given.elements[0].value
            made = assignment_for(self.script, name, {name})
            if made is not None:
                edit.remove(made)

    def _is_named(self) -> bool:
        """Whether an input of the job asks for a group by its name."""
        return any(
            arg.keyword is not None and arg.keyword.value == "instance_groups"
            for call in self.script.calls("sagemaker.inputs.TrainingInput", "sagemaker.TrainingInput")
            for arg in call.args
        )
