"""Each golden project trains the same before and after: its files together, on real torch_xla, and in two processes.

One process runs on real torch_xla; two run on the stand-in, rank against rank of an original that joins its processes
too, else all ranks have to agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.smoke.compare import compare, same_on_all_ranks
from migrate.smoke.environments import Environment
from migrate.smoke.exchanges import find_in_exchanges
from migrate.smoke.findings import find
from migrate.smoke.record import Backend, Run, Side
from migrate.smoke.run import Job, Launch, Limits, run
from tests.goldens import ROOT, project_outputs, project_sources

UNTRAINED = {
    "command_of_a_package": "is run as `python -m tool`, which a smoke run does not do",
    "compiled_networks": "goes on from a checkpoint of an earlier program",
    "console_scripts": "is run by a console script",
    "divided_by_the_asked": "cuts shares for as many processes as it asked for, with an error",
    "drawn_samples": "trains nothing",
    "folds_of_arrays": "needs scikit-learn",
    "kernels_at_import": "builds a kernel for CUDA",
    "pickled_whole": "the original loads what torch 2.6 and later refuse",
    "resumed_optimizers": "goes on from a checkpoint of an earlier program",
    "sagemaker_job": "shows command lines to the launchers beside them",
    "sampler_by_the_rank": "needs tqdm",
    "seeded_sampling": "trains nothing",
}
"""Projects that are not trained here, and why."""
PROJECTS = sorted(path for path in (ROOT / "projects").iterdir() if path.is_dir() and path.name not in UNTRAINED)
FORMS = {"smtc": (Side.SMTC, "2.1", "1.13"), "xla": (Side.XLA, "2.9", "2.9")}
"""For each form: its side, the environment's torch_xla, and the version whose names the stand-in has."""

ENTRIES = ("main.py", "train.py", "run_pretraining.py", "scripts/train.py", "src/train.py")
ARGUMENTS = {
    "imagenet_main": ("--multiprocessing-distributed", "--world-size", "1", "--rank", "0"),
    "two_modes": ("--parallel", "yes"),
}
"""Projects whose original joins several processes only when it is told to."""
OPTIONS = {
    "option_of_another_file": ("--cuda",),
    "recurrent_on_the_host": ("--gpu",),
    "trainer_from_a_table": ("--engine", "reconstruction"),
}
"""Projects that train on the accelerator, or at all, only when they are told to."""

_STATISTICS = "SyncBatchNorm computed its statistics over all ranks, as the migrated project does not (TC552)"
_WORLD_SIZE = "how many processes there are is asked by a name that several quantities go through (TC548)"
OTHER_TRAINING = {
    ("imagenet_main", "smtc"): "the original seeds the process that spawns its workers, `_mp_fn` seeds each worker",
    ("rank_by_name", "smtc"): _WORLD_SIZE,
    ("rank_by_name", "xla"): _WORLD_SIZE,
    ("segmentation_engine", "smtc"): _STATISTICS,
    ("segmentation_engine", "xla"): _STATISTICS,
}
"""Projects that train otherwise in several processes, with the reason: their ranks only have to agree."""

JOINS = re.compile(r"\binit_process_group\(|\bsmdistributed\b")

pytestmark = pytest.mark.real_xla
EACH = pytest.mark.parametrize("folder", PROJECTS, ids=lambda folder: folder.name)
EACH_FORM = pytest.mark.parametrize("form", sorted(FORMS))


def entry_of(folder: Path) -> Path:
    return next(folder / name for name in ENTRIES if (folder / name).is_file())


def jobs(folder: Path, form: str, ready: Callable[[str], Environment]) -> tuple[Job, Job]:
    """The original and the migrated project, in one process."""
    side, torch_xla, _ = FORMS[form]
    outputs = project_outputs(folder, form)
    changed = {Path(path): text for path, text in outputs.items() if text != project_sources(folder)[path]}
    limits = Limits(seconds=400)
    given = OPTIONS.get(folder.name, ())
    original = Job(entry_of(folder), Side.CUDA, ready(torch_xla), given, root=folder, limits=limits)
    entry = outputs[entry_of(folder).relative_to(folder).as_posix()]
    launched = side is Side.SMTC and re.search(r"^def _mp_fn\(", entry, re.MULTILINE)
    launch = Launch.MP_FN if launched else Launch.MAIN
    return original, replace(original, side=side, replaced=changed, launch=launch)


@EACH
@EACH_FORM
def test_trains_the_same(folder: Path, form: str, environment: Callable[[str], Environment]) -> None:
    first, second = jobs(folder, form, environment)
    original, migrated = run(first), run(second)
    comparison = compare(original, migrated)
    assert comparison.same, "\n".join((*comparison.reasons, tail(original), tail(migrated)))
    assert [finding for finding in find(original, migrated) if finding.error] == []


@EACH
@EACH_FORM
def test_two_workers_train_as_two_ranks(folder: Path, form: str, environment: Callable[[str], Environment]) -> None:
    first, second = jobs(folder, form, environment)
    if "_mp_fn" not in second.replaced.get(entry_of(folder).relative_to(folder), ""):
        pytest.skip("trains in one process")
    arguments = ARGUMENTS.get(folder.name, OPTIONS.get(folder.name, ()))
    version = FORMS[form][2]
    migrated = run(replace(second, arguments=arguments, workers=2, backend=Backend.STANDIN, version=version))
    assert migrated.ok, tail(migrated)
    assert not same_on_all_ranks(migrated)
    assert not list(find_in_exchanges(migrated))
    joins = any(JOINS.search(text) for text in project_sources(folder).values())
    if joins and (folder.name, form) not in OTHER_TRAINING:
        original = run(replace(first, arguments=arguments, workers=2))
        comparison = compare(original, migrated)
        assert comparison.same, "\n".join((*comparison.reasons, tail(original), tail(migrated)))


def tail(ran: Run) -> str:
    return f"--- {ran.side.value}, {ran.ending.value} after {ran.seconds:.0f} s: {ran.reason}\n{ran.output[-2000:]}"
