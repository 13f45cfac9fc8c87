"""What a `ModelTrainer` of version 3 of the SageMaker SDK is told, and which estimator of version 2 does the same."""

from __future__ import annotations

from typing import Any

import libcst as cst

from codemods.kit.containers import container_of, gpus
from codemods.kit.estimators import MODEL_TRAINER
from codemods.kit.jobs import Job


def source_code(job: Job) -> dict[Any, Any]:
    """What it is told of its script, `SourceCode(source_dir="src", entry_script="train.py")`."""
    return _configured(job, "source_code")


def as_estimator(job: Job) -> str:
    """The estimator of version 2 of the SDK that does what a `ModelTrainer` does, as far as it can be seen."""
    machine, source = _configured(job, "compute"), source_code(job)
    count, each = machine.get("instance_count", 1), gpus(str(machine.get("instance_type")))
    given = {
        "entry_point": source.get("entry_script"),
        "source_dir": source.get("source_dir"),
        "instance_type": machine.get("instance_type"),
        "instance_count": count,
        "hyperparameters": job.estimator.literal("hyperparameters"),
        **container_of(job.target).versions,
    }
    shown = [f"{keyword}={value!r}" for keyword, value in given.items() if isinstance(value, str | int | dict)]
    several = each is None or not isinstance(count, int) or each * count > 1
    started = ["distribution={'pytorchxla': {'enabled': True}}"] if several else []
    off = ["disable_profiler=True", "debugger_hook_config=False"]
    return f"PyTorch({', '.join([*shown, 'compiler_config=TrainingCompilerConfig()', *started, *off])})"


def _configured(job: Job, keyword: str) -> dict[Any, Any]:
    """The arguments of the object that an argument is."""
    found = job.estimator.candidates(keyword) if job.estimator.name == MODEL_TRAINER else []
    call = found[0] if len(found) == 1 and isinstance(found[0], cst.Call) else None
    literals = job.script.estimators.literals
    return literals.of_keywords(call).value(literals.value) if call is not None else {}
