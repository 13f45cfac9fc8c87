"""What the original did is kept, and forgotten as soon as anything it depends on is another thing."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from migrate.smoke.environments import Environment
from migrate.smoke.keeping import identify, recall
from migrate.smoke.record import Ending, Run, Side
from migrate.smoke.run import Job
from tests.smoke.test_ends import TRAINED, run_of


@pytest.fixture
def job(tmp_path: Path) -> Job:
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "train.py").write_text("import net")
    (tmp_path / "work" / "net.py").write_text("x = 1")
    (tmp_path / "work" / "data.bin").write_bytes(b"1")
    (tmp_path / "work" / "twin.py").write_text("import torch_xla")
    return Job(tmp_path / "work" / "train.py", Side.CUDA, Environment("2.9", Path("/python")))


def test_a_second_proof_does_not_run_the_original_again(job: Job, tmp_path: Path) -> None:
    ran: list[Job] = []

    def execute(job: Job) -> Run:
        ran.append(job)
        return replace(run_of(TRAINED), kept={"a.pt": b"1"})

    first, second = (recall(job, tmp_path / "kept", None, execute) for _ in range(2))
    assert first == second
    assert len(ran) == 1
    (path,) = (tmp_path / "kept").iterdir()
    path.write_bytes(b"what an interrupted tool has left")
    assert recall(job, tmp_path / "kept", None, execute) == first
    os.utime(path, (0, 0))
    recall(job, tmp_path / "kept", None, execute)
    assert len(ran) == 3


def test_a_run_that_failed_is_not_kept(job: Job, tmp_path: Path) -> None:
    recall(job, tmp_path / "kept", None, lambda job: replace(run_of(TRAINED), ending=Ending.FAILED))
    assert not (tmp_path / "kept").exists()


def edit(job: Job, name: str) -> Job:
    (job.script.parent / name).write_text("another")
    return job


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda job: edit(job, "train.py"), id="the script"),
        pytest.param(lambda job: edit(job, "net.py"), id="a module"),
        pytest.param(lambda job: edit(job, "data.bin"), id="data"),
        pytest.param(lambda job: edit(job, "more.txt"), id="a new file"),
        pytest.param(lambda job: replace(job, arguments=("--lr", "1")), id="arguments"),
        pytest.param(lambda job: replace(job, double=True), id="float64"),
        pytest.param(lambda job: replace(job, perturb=1e-7), id="the disturbance"),
        pytest.param(lambda job: replace(job, variables={"A": "1"}), id="a variable"),
        pytest.param(lambda job: replace(job, given={"a.pt": b"2"}), id="a checkpoint"),
        pytest.param(lambda job: replace(job, environment=Environment("2.1", Path("/other"))), id="torch"),
    ],
)
def test_what_a_run_depends_on(change: Callable[[Job], Job], job: Job) -> None:
    before = identify(job, None)
    assert identify(change(job), None) != before


def test_an_edit_of_the_migrated_half_is_none_of_the_original(job: Job) -> None:
    twin = job.script.parent / "twin.py"
    before = identify(job, twin)
    twin.write_text("import torch_xla.core")
    assert identify(job, twin) == before
    assert identify(job, None) != before
