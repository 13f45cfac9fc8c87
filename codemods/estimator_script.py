"""Say where a job and its training script do not fit together.

SageMaker gives the hyperparameters of a job to the script as `--name value`, a truth value as `--name True`. An option
with `action="store_true"` takes no value, and for `type=bool` any text is true, "False" too. An option that the script
does not declare stops it, or is passed over in silence when it parses by `parse_known_args`.

A job on several GPUs calls `_mp_fn(index)` of the script in one process for each: a script that has none, and is not
written for several processes, cannot be started; in one that never asks which process it is, all go through the same
data; and one that starts processes itself starts as many again in each.

A job without the Training Compiler, an endpoint or a processing job has no torch_xla: where its script is migrated all
the same, for another job, it fails at the import.

Both files have to be among those given, or the script beside the launcher, under the name that `entry_point` and
`source_dir` say.
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

import libcst as cst

from codemods.kit.codemod import Codemod
from codemods.kit.command_line import BOOL, FLAGS, CommandLine
from codemods.kit.containers import Start
from codemods.kit.job_facts import TRAINING_SCRIPT, read_started
from codemods.kit.job_scripts import JobScript
from codemods.kit.jobs import Job, Obstacle, read_jobs
from codemods.kit.rules import Example, Rule, Safety, Severity, Stage
from codemods.kit.targets import Launcher

_ARGUMENTS = "sagemaker-training-toolkit 4.8 sagemaker_training/mapping.py to_cmd_args; Python 3 argparse"
_RUNNER = "sagemaker-training-toolkit 4.8 PyTorchXLARunner; SageMaker: PyTorch models, distributed training"
_OWN = ("sagemaker_", TRAINING_SCRIPT)
"""Beginnings of the hyperparameters that are the SDK's, or the launcher's."""


class EstimatorScript(Codemod):
    """Say where a job and its training script do not fit together."""

    STAGE = Stage.JOB
    LAUNCHERS = (Launcher.SAGEMAKER,)
    RULES = (
        Rule("SM014", "a truth value for an option of the script that does not take one", Safety.NOTE, Severity.ERROR,
             'declare the option with a function that reads "True" and "False", or drop the hyperparameter',
             _ARGUMENTS),
        Rule("SM026", "a hyperparameter that the script has no option for, and stops at", Safety.NOTE, Severity.ERROR,
             "declare the option in the script, or drop the hyperparameter", _ARGUMENTS),
        Rule("SM027", "a hyperparameter that the script passes over", Safety.NOTE, Severity.WARNING,
             "declare the option in the script, or drop the hyperparameter", _ARGUMENTS),
        Rule("SM028", "a script that several processes cannot run", Safety.NOTE, Severity.ERROR,
             "write it for several processes with a top-level _mp_fn(index), or give the job one GPU", _RUNNER),
        Rule("SM030", "a script that is migrated, and run here without a torch_xla", Safety.NOTE, Severity.ERROR,
             "give it a copy of the original under another name, or make this a job of the Training Compiler", _RUNNER),
        Rule("LC23", "a script that stays as it is, as this runs it without a torch_xla", Safety.NOTE, Severity.INFO,
             "to have it migrated make this a PyTorch job on machines that the Training Compiler knows", _RUNNER),
        Rule("SM029", "processes that never ask which of them they are", Safety.NOTE, Severity.WARNING,
             "split the data: DistributedSampler with xm.xrt_world_size() and xm.get_ordinal()", _RUNNER),
    )  # fmt: skip
    EXAMPLES = (
        Example(
            before="from sagemaker.pytorch import PyTorch\n\n"
            'estimator = PyTorch(entry_point="train.py", hyperparameters={"fp16": True})\n',
        ),
    )

    def rewrite(self) -> None:
        if not self.script.links.jobs:
            return
        self._natively()
        for job in read_jobs(self.script, self.edits.target):
            script = self.script.links.jobs.get(self.script.tree.order[job.call])
            if script is not None and job.obstacle is None:
                self._options(job, script)
                self._processes(job, script)

    # --- without a torch_xla --------------------------------------------------------------------------------------

    def _natively(self) -> None:
        """Say what becomes of the scripts that are run without a torch_xla."""
        calls = {self.script.tree.order[call]: call for call in self.script.tree.all(cst.Call)}
        native = {started.number: started.native for started in read_started(self.script)}
        unseen = {self.script.tree.order[job.call] for job in read_jobs(self.script, self.edits.target)
                  if job.obstacle is Obstacle.UNSEEN}  # fmt: skip
        for number, script in self.script.links.jobs.items():
            why = native.get(number) or (str(Obstacle.UNSEEN.value) if number in unseen else "")
            if not why or not script.role.moves or script.role.stays:
                continue
            if script.role.left:
                self.note("LC23", calls[number], f"{why}: {script.file} stays native")
            else:
                self.note("SM030", calls[number], f"{why}, and {script.file} imports torch_xla once migrated")

    # --- the command line -------------------------------------------------------------------------------------------

    def _options(self, job: Job, script: JobScript) -> None:
        line = script.command_line
        bare = job.container.start is not Start.PYTORCHXLA and job.several is not False
        for key, value, node in self._parameters(job):
            kind = line.kind(key)
            if kind is not None and isinstance(value, bool):
                said = "" if bare and kind in FLAGS else _unfit(line, kind, value)
                if said:
                    self.note("SM014", node, f"`{key}` is given as `--{key} {value}`, {said} ({script.file})")
            elif kind is None and line.makes and line.parses and not line.opaque:
                near = get_close_matches(key, dict(line.options), 1, 0.8)
                meant = f"; did you mean {near[0]!r}?" if near else ""
                self.note("SM026" if line.strict else "SM027", node, f"{script.file} has no option --{key}{meant}")

    def _parameters(self, job: Job) -> Iterator[tuple[str, object, cst.CSTNode]]:
        """The hyperparameters that are written down: name, value, and where."""
        entries = job.estimator.items("hyperparameters")
        for key, entry in entries.by_key.items() if entries is not None else ():
            if not key.startswith(_OWN):
                yield key, self.script.estimators.literals.value(entry.value), entry.value

    # --- the processes ----------------------------------------------------------------------------------------------

    def _processes(self, job: Job, script: JobScript) -> None:
        if not (job.several or "pytorchxla" in job.distributions) or not self._is_trained(job):
            return
        if script.role.is_single and job.container.start is Start.PYTORCHXLA and not job.distributions:
            return  # nothing starts several of it: estimator_distribution says that one GPU works
        if script.role.stays:
            self.note("SM028", job.call, f"{script.file} stands on {script.role.stays}, and is not migrated")
        elif script.role.starts:
            self.note("SM028", job.call, f"{script.file} starts a process for each GPU itself")
        elif not script.role.enters:
            self.note("SM028", job.call, f"{script.file} has no _mp_fn(index), and is written for one process")
        elif not script.role.ranked:
            self.note("SM029", job.call, f"every process of {script.file} goes through the same data")

    def _is_trained(self, job: Job) -> bool:
        """Whether the script that was found is what trains: in the containers with torch 1.9 and 1.10 a launcher may be
        told in the hyperparameters what to start."""
        if job.container.start is Start.PYTORCHXLA or job.estimator.lacks("hyperparameters"):
            return True
        told = job.estimator.items("hyperparameters")
        return told is not None and (TRAINING_SCRIPT in told.by_key or told.complete)


def _unfit(line: CommandLine, kind: str, value: bool) -> str:
    """Why an option does not take a truth value as it is given; empty when it does what is meant."""
    if kind == BOOL and not value:
        return "and type=bool takes any text for true"
    if kind in FLAGS and line.strict:
        return f"and action={kind!r} takes no value"
    if kind in FLAGS and value is (kind == "store_false"):
        return f"and action={kind!r} is set whatever the value"
    return ""
