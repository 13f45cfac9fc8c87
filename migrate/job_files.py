"""Job descriptions in JSON or YAML, as `aws sagemaker create-training-job --cli-input-json` takes them.

They are read line by line, as lists of packages are: nothing is edited, and a note at the image says what a job needs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from codemods.kit.containers import container_of, gpus, instance_class, instance_classes
from codemods.kit.rules import Note, Rule, Safety, Severity
from codemods.kit.targets import Launcher, Target
from migrate.migration import Migration, Status
from migrate.requirements import NAME
from migrate.suppress import read_list_suppressions

RULE = Rule(
    "LC25", "a job description that does not ask for the Training Compiler", Safety.NOTE, Severity.WARNING,
    advice="write what the note says into the file, or start the job by a PyTorch estimator",
    document="SageMaker API, CreateTrainingJob; SageMaker Python SDK 2.257.7 training_compiler/config.py",
)  # fmt: skip
RULES = (RULE,)
LARGEST = 200_000
"""Bytes: a larger file is data."""
_FIELD = r"""(?<!\w)%s["']?\s*:\s*["']?(?P<value>[^"',}\s]+)"""
_IMAGE, _TYPE, _COUNT = (re.compile(_FIELD % key) for key in ("TrainingImage", "InstanceType", "InstanceCount"))
_OURS = re.compile(r"/(?:huggingface-)?pytorch-(?:trcomp-)?training:")
_OTHERS = re.compile(
    r"sagemaker_(?:distributed_dataparallel|mpi|pytorch_ddp|torch_distributed)_\w+|GPU_NUM_DEVICES|DebugHookConfig"
)
_WANTED = ("sagemaker_training_compiler_enabled", "sagemaker_pytorch_xla_multi_worker_enabled")


def check_job(text: str, *, path: str, target: Target, allows: Callable[[Rule], bool]) -> Migration | None:
    """What a job description needs; None when it is none of PyTorch, or nothing is to be said."""
    if target.launcher is not Launcher.SAGEMAKER or not allows(RULE):
        return None
    suppressed = read_list_suppressions(text)
    notes = [note for note in _notes(text, target) if not suppressed.covers(note.rule, note.line)]
    return Migration(path, target.name, Status.UNCHANGED, text, text, (), tuple(notes)) if notes else None


def _notes(text: str, target: Target) -> Iterator[Note]:
    images = list(_IMAGE.finditer(text))
    for index, image in enumerate(images):
        if not _OURS.search(image["value"]):
            continue
        last = images[index + 1].start() if index + 1 < len(images) else len(text)
        first = images[index - 1].end() if index else 0
        needs = list(_needs(text[first:last], image["value"], target))
        if needs:
            line = text.count("\n", 0, image.start("value")) + 1
            yield Note(RULE.id, line, RULE.severity, "; ".join(needs), RULE.advice, RULE.document, NAME)


def _needs(job: str, image: str, target: Target) -> Iterator[str]:
    """What one job needs, in words. `job`: its text, and that around it up to the next image on either side."""
    container, machine, count = container_of(target), _TYPE.search(job), _COUNT.search(job)
    kind = machine["value"] if machine is not None else ""
    if instance_class(kind) and instance_class(kind) not in instance_classes():
        if "-trcomp-" in image:
            yield f"the Training Compiler does not run on {kind}"
        return
    each, number = gpus(kind), count["value"] if count is not None else ""
    single = each == 1 and number == "1"
    if f"/{container.repository}:" not in image and "huggingface" not in image:
        yield f"TrainingImage {container.repository}:{container.tag}"
    missing = [key for key in _WANTED[: 1 if single else 2] if key not in job]
    if missing:
        also = "" if each and number else " (the second for several GPUs)"
        yield "HyperParameters " + ", ".join(f'"{key}": "true"' for key in missing) + also
    others = dict.fromkeys(_OTHERS.findall(job))
    if single:
        others.pop("GPU_NUM_DEVICES", None)
    if others:
        yield f"no {', '.join(others)}"
    if "DisableProfiler" not in job:
        yield 'ProfilerConfig {"DisableProfiler": true}'
