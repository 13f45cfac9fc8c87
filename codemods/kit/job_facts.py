"""Reads what a script says of itself as a part of a SageMaker job: as its launcher, or as what is launched."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename, normpath

import libcst as cst

from codemods.kit.containers import instance_class, instance_classes
from codemods.kit.entry import trains_by_xla_ranks
from codemods.kit.estimators import Estimator
from codemods.kit.job_scripts import JobRole, Started
from codemods.kit.jobs import Obstacle, read_jobs
from codemods.kit.launch import Launch
from codemods.kit.model_trainers import source_code
from codemods.kit.script import Script
from codemods.kit.serving import serving_functions
from codemods.kit.settings import Entries
from codemods.kit.starters import starters
from codemods.kit.targets import SMTC, Launcher, Target

TRAINING_SCRIPT = "training_script"
"""The hyperparameter by which a launcher of the older containers is told what to start."""
_RANKS = ("torch_xla.core.xla_model.get_ordinal", "torch_xla.core.xla_model.xrt_world_size", "torch_xla.runtime",
          "torch.distributed", "torch.utils.data.distributed", "torch.nn.parallel", "torch.nn.DataParallel",
          "transformers", "accelerate", "pytorch_lightning", "lightning", "horovod", "smdistributed",
          "webdataset")  # fmt: skip
"""What tells a script its rank, or asks for it, to give each process its part of the work."""
_MACHINES = str(Obstacle.INSTANCE.value)
_ENDPOINT = "an endpoint's container has no torch_xla"
_ELSEWHERE = {
    "PyTorchModel": ("entry_point", _ENDPOINT),
    "HuggingFaceModel": ("entry_point", _ENDPOINT),
    "deploy": ("entry_point", _ENDPOINT),
    "create_model": ("entry_point", _ENDPOINT),
    "transformer": ("entry_point", _ENDPOINT),
    "run": ("code", "a processing job's container has no torch_xla"),
}
"""Classes and methods of the SDK that run a script elsewhere than in a training job: the argument that names it."""


def read_role(script: Script) -> JobRole:
    """What a script would be to a job that starts it."""
    enters = script.launch.kind is not Launch.SINGLE or trains_by_xla_ranks(script)
    asks = any(next(iter(script.names.uses(name)), None) is not None for name in _RANKS)
    serves = bool(serving_functions(script.module))
    return JobRole(enters, asks or script.is_driven, bool(starters(script)), serves=serves)


def read_started(script: Script) -> Iterator[Started]:
    """The scripts that a launcher names in plain text."""
    for job in read_jobs(script, SMTC):
        source = source_code(job)
        entry = source.get("entry_script") or _entry(job.estimator)
        folder = source.get("source_dir") or job.estimator.literal("source_dir")
        yield from _started(script, job.call, entry, folder if isinstance(folder, str) else None, job.native)
    for call, program, why in _requested(script):
        yield from _started(script, call, program, None, why)
    for call, given, entry, why in _elsewhere(script):
        folder = given.by_key.get("source_dir")
        value = script.estimators.literals.value
        yield from _started(script, call, value(entry), value(folder.value if folder else None), why)


def _requested(script: Script) -> Iterator[tuple[cst.Call, str, str]]:
    """The scripts of jobs that are started through boto3, and why such a job has no torch_xla."""
    for call in script.tree.all(cst.Call) if "boto3" in script.names.modules else ():
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == "create_training_job":
            given = script.estimators.literals.of_keywords(call).value(script.estimators.literals.value)
            parameters, machines = given.get("HyperParameters"), given.get("ResourceConfig")
            program = parameters.get("sagemaker_program") if isinstance(parameters, dict) else None
            kind = instance_class(str(machines.get("InstanceType"))) if isinstance(machines, dict) else ""
            if isinstance(program, str):
                native = bool(kind) and kind not in instance_classes()
                yield call, program.strip('"'), _MACHINES if native else ""


def runs_here(script: Script, target: Target, path: str) -> bool:
    """Whether a script starts training jobs on SageMaker and is none itself: what it computes, it does on the computer
    it is started on, which has no torch_xla."""
    if target.launcher is not Launcher.SAGEMAKER or not script.estimators:
        return False
    entries = [_entry(estimator) for estimator in script.estimators]
    return not any(entry is None or basename(entry) == basename(path) for entry in entries)


def _elsewhere(script: Script) -> Iterator[tuple[cst.Call, Entries, cst.BaseExpression, str]]:
    if "sagemaker" not in script.names.modules:
        return
    for call in script.tree.all(cst.Call):
        name = call.func.attr.value if isinstance(call.func, cst.Attribute) else getattr(call.func, "value", "")
        keyword, why = _ELSEWHERE.get(name, ("", ""))
        given = script.estimators.literals.of_keywords(call) if keyword else Entries()
        if keyword in given.by_key:
            yield call, given, given.by_key[keyword].value, why


def _started(script: Script, call: cst.Call, entry: object, folder: object, native: str) -> Iterator[Started]:
    if isinstance(entry, str) and (folder is None or isinstance(folder, str)) and "://" not in f"{folder}{entry}":
        path = normpath(f"{folder}/{entry}" if folder else entry)
        if not path.startswith("/"):
            tree = script.tree
            yield Started(tree.order[call], tree.line(call), path, str(folder or ""), native)


def _entry(estimator: Estimator) -> str | None:
    parameters = estimator.literal("hyperparameters")
    told = parameters.get(TRAINING_SCRIPT) if isinstance(parameters, dict) else None
    return told if isinstance(told, str) else estimator.text("entry_point")
