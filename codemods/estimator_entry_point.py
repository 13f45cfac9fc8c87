"""Have a job start its training script in the way its container starts processes.

The containers with torch 1.9 and 1.10 start one process. There, training on several GPUs takes a script that runs
`python -m torch_xla.distributed.sm_dist`, which is given the training script as a hyperparameter. From torch 1.11 on
the container starts the processes itself, and such a launcher has nothing left to do: its training script becomes the
entry point. In the other direction the launcher is a new file, whose text is in the note. It lies beside the training
script, which has an `_mp_fn(index)` here too, in the `source_dir`: without one nothing but the launcher gets into the
job.

Wherever several processes are started, the entry point has to be a Python file: the container imports it.
"""

from __future__ import annotations

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.call_layout import with_argument_after, with_item, within
from codemods.kit.codemod import Codemod
from codemods.kit.containers import Start
from codemods.kit.edits import Edit
from codemods.kit.estimators import Estimator
from codemods.kit.job_arguments import can_change, drop_argument, drop_item, put_argument
from codemods.kit.job_facts import TRAINING_SCRIPT
from codemods.kit.jobs import Job, read_jobs
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.settings import Entries
from codemods.kit.targets import Launcher

_LAUNCHER = "distributed_training_launcher.py"
_TEXT = (
    "import subprocess, sys; subprocess.check_call("
    '[sys.executable, "-m", "torch_xla.distributed.sm_dist", *sys.argv[1:]])'
)
_OLD = "SageMaker: Training Compiler, PyTorch models, distributed training (until 2022-09)"
_NEW = "SageMaker: Training Compiler, PyTorch models, distributed training; sagemaker-training-toolkit 4.8"


class EstimatorEntryPoint(Codemod):
    """Have a job start its training script in the way its container starts processes."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("LC11", "an entry point that only starts processes gives way to the training script", Safety.REVIEW,
             Severity.WARNING, "make the training script the entry point: the container starts the processes", _NEW),
        Rule("LC12", "a container that does not start the processes gets an entry point that does", Safety.REVIEW,
             Severity.WARNING, "put the file beside the training script, and give their folder as source_dir", _OLD),
        Rule("SM011", "an entry point that can't be imported", Safety.NOTE, Severity.ERROR,
             "make it a Python file with a top-level _mp_fn(index), and keep setup.py out of its folder", _NEW),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.huggingface import HuggingFace\n\njob = HuggingFace(\n"
            '    entry_point="launcher.py",\n    hyperparameters={"training_script": "train.py", "epochs": 3},\n'
            '    instance_type="ml.p3.8xlarge",\n    instance_count=1,\n    transformers_version="4.21.1",\n'
            '    pytorch_version="1.11.0",\n)\n',
            smtc="from sagemaker.huggingface import HuggingFace\n\njob = HuggingFace(\n"
            '    entry_point="train.py",\n    hyperparameters={"epochs": 3},\n'
            '    instance_type="ml.p3.8xlarge",\n    instance_count=1,\n    transformers_version="4.21.1",\n'
            '    pytorch_version="1.11.0",\n)\n',
        ),
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'job = PyTorch(entry_point="train.py", instance_type="ml.p3.2xlarge", instance_count=1)\n'
        ),
    )

    def rewrite(self) -> None:
        self._jobs = [job for job in read_jobs(self.script, self.edits.target) if job.obstacle is None]
        for job in self._jobs:
            entry = job.estimator.text("entry_point")
            started = job.several is not False
            if started and entry is not None and not entry.endswith(".py"):
                self.note("SM011", job.estimator.arguments["entry_point"].value, f"{entry} is no Python file")
            script = self.script.links.jobs.get(self.script.tree.order[job.call])
            if started and script is not None and script.package:
                self.note("SM011", job.call, f"{script.package} makes a package of source_dir, which is not imported")
            if job.container.start is Start.PYTORCHXLA:
                self._collapse(job)
            elif job.several:
                self._expand(job)

    # --- the training script becomes the entry point --------------------------------------------------------------

    def _collapse(self, job: Job) -> None:
        own = job.estimator
        parameters = own.items("hyperparameters")
        entry = parameters.by_key.get(TRAINING_SCRIPT) if parameters is not None else None
        if parameters is None or entry is None or own.argument("entry_point") is None:
            return
        launcher = own.text("entry_point") or code_of(own.arguments["entry_point"].value)
        alike = self._alike(job)
        if not self._serve(own, alike) or not can_change(self.script, own, "entry_point", alike):
            self.note("LC11", job.call, f"the container starts the processes itself, without {launcher}")
            return
        edit = self.edit("LC11", job.call, f"the container starts the processes itself: {launcher} has no use any more")
        put_argument(edit, self.script, own, "entry_point", code_of(entry.value), alike)
        alone = parameters.complete and not parameters.unsure and len(parameters.by_key) == 1
        if alone and own.arguments["hyperparameters"].inline:
            drop_argument(edit, self.script, own, "hyperparameters", alike)
        else:
            drop_item(edit, entry.node)

    def _alike(self, job: Job) -> list[Estimator]:
        """The jobs with the same entry point, started in the same way."""
        asked = job.estimator.literal("entry_point")
        return [
            other.estimator
            for other in self._jobs
            if other.container.start is job.container.start
            and bool(other.several) == bool(job.several)
            and other.estimator.literal("entry_point") == asked
        ]

    def _serve(self, own: Estimator, alike: list[Estimator]) -> bool:
        """Whether the hyperparameters serve no jobs but these."""
        candidates = own.candidates("hyperparameters")
        users = [user for found in candidates for user in self.script.estimators.users(found)]
        return len(candidates) == 1 and all(user in alike for user in users)

    # --- a launcher becomes the entry point -----------------------------------------------------------------------

    def _expand(self, job: Job) -> None:
        own = job.estimator
        script, parameters = own.text("entry_point"), own.items("hyperparameters")
        if parameters is not None and TRAINING_SCRIPT in parameters.by_key:
            return
        torch = f"torch {job.container.pytorch} on {job.devices}"
        if script is None or not self._can_expand(own, parameters, self._alike(job)):
            self.note("LC12", job.call, f"{torch}: the entry point has to be a file with `{_TEXT}`, and the training "
                      f"script the hyperparameter {TRAINING_SCRIPT}")  # fmt: skip
            return
        edit = self.edit("LC12", job.call, f"{torch}: {_LAUNCHER} starts {script}")
        put_argument(edit, self.script, own, "entry_point", self.quoted(_LAUNCHER), self._alike(job))
        self._put_script(edit, job, script)
        room, indent = self.script.tree.room(own.call), self.script.tree.indent
        edit.replace(own.call, lambda updated: within(updated, room, indent))
        alone = "" if job.brings_files else f"; give a source_dir with it and {script}"
        self.note("LC12", job.call, f"{_LAUNCHER} is a new file: `{_TEXT}`{alone}")

    def _can_expand(self, own: Estimator, parameters: Entries | None, alike: list[Estimator]) -> bool:
        if not can_change(self.script, own, "entry_point", alike):
            return False
        if own.lacks("hyperparameters"):
            return True
        return parameters is not None and self._serve(own, alike)

    def _put_script(self, edit: Edit, job: Job, script: str) -> None:
        """Say in the hyperparameters which script is to be started."""
        own, value = job.estimator, self.quoted(script)
        candidates = own.candidates("hyperparameters")
        if not candidates:
            code = f"{{{self.quoted(TRAINING_SCRIPT)}: {value}}}"
            put_argument(edit, self.script, own, "hyperparameters", code, self._alike(job), ("entry_point",))
        elif isinstance(candidates[0], cst.Call):
            call = candidates[0]
            edit.replace(call, lambda updated: with_argument_after(updated, (), TRAINING_SCRIPT, value))
        else:
            outer = self.script.tree.line_indent(candidates[0])
            inner = outer + self.script.tree.indent
            edit.replace(candidates[0], lambda updated: with_item(updated, TRAINING_SCRIPT, value, outer, inner))
