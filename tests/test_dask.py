"""The workers of a dask cluster: the same results, also when one of them is lost on the way."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.batch.pool import start_dask
from migrate.batch.run import Order, Unseen, migrate_files
from migrate.batch.scan import Script
from migrate.migration import MigrateError, Migration, Status
from tests.goldens import ROOT, TARGETS, project_sources

distributed = pytest.importorskip("distributed")


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[object]:
    """Two workers, each a process of its own."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT.parent))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50
    ) as made:
        yield made


def migrated(folder: Path, order: Order) -> dict[str, Migration]:
    scripts = [Script(str(path), folder, folder) for path in sorted(folder.rglob("*.py"))]
    return {script.name: migration for script, migration in migrate_files(scripts, order)}


class Killer(Unseen):
    """Kills a worker when the first results are there."""

    def __init__(self, processes: list[int]) -> None:
        self.processes = processes

    def advance(self, files: int, lines: int) -> None:
        """Kill one."""
        if self.processes:
            os.kill(self.processes.pop(), signal.SIGKILL)
            self.processes.clear()


def test_a_worker_that_is_lost_costs_nothing(cluster: object, tmp_path: Path) -> None:
    for project in sorted(path for path in (ROOT / "projects").iterdir() if path.is_dir())[:6]:
        for name, text in project_sources(project).items():
            path = tmp_path / project.name / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    expected = migrated(tmp_path, Order(TARGETS["xla"], jobs=1))
    address = str(getattr(cluster, "scheduler_address")).replace("tcp://", "dask://")  # noqa: B009
    with distributed.Client(cluster) as client:
        workers = list(client.run(os.getpid).values())
    assert len(workers) == 2
    killer = Killer(workers)
    found = migrated(tmp_path, Order(TARGETS["xla"], executor=address, progress=killer))
    assert killer.processes == []
    assert any(migration.status is Status.MIGRATED for migration in found.values())
    assert found == expected


def test_a_scheduler_that_does_not_answer_is_one_line() -> None:
    with pytest.raises(MigrateError, match="no dask scheduler answers"):
        start_dask("dask://127.0.0.1:1", seconds=1)
