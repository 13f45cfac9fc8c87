"""A run over an unchanged tree takes the results of the last one as a whole; over any other tree it does not."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from codemods.kit.rules import Safety
from migrate.batch import again
from migrate.batch.run import Order, migrate_files
from migrate.batch.scan import Script
from migrate.cache import Cache
from migrate.discover import find_scripts
from migrate.migration import Migration, Status
from migrate.pipeline import Prepared
from migrate.registry import Selection
from tests.goldens import ROOT, TARGETS, cases
from tests.training_script import TRAIN

XLA, SMTC = TARGETS["xla"], TARGETS["smtc"]
ORDER = Order(XLA)
BROKEN = "import torch\n\ntorch.cuda.synchronize(\n"


@dataclass
class Folder:
    """A folder of scripts, with a cache of its own beside it."""

    path: Path
    taken: list[bool] = field(default_factory=list)
    """Of each run with a cache, whether it took the results of the one before as a whole."""

    def put(self, name: str, text: str) -> None:
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text)

    def find(self) -> list[Script]:
        return [Script(name, root, root, status=status) for name, root, status in find_scripts([self.path])]

    def run(self, order: Order = ORDER) -> list[Told]:
        with closing(Cache(self.path.parent / "cache")) as cache:
            return self.run_afresh(replace(order, cache=cache))

    def run_afresh(self, order: Order = ORDER) -> list[Told]:
        return [told(migration) for _, migration in migrate_files(self.find(), order)]


Told = tuple[object, ...]


def told(migration: Migration) -> Told:
    """What a user sees of a file. The text of one that has nothing to show need not be known."""
    result = migration.result if migration.status is Status.MIGRATED else None
    return migration.path, migration.status, result, migration.changes, migration.notes, migration.reason


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Scripts that change, that import each other, that cannot be parsed, and that have nothing to do with training."""
    made = Folder(tmp_path / "tree")
    monkeypatch.setattr(again, "SETTLED_NS", 0)
    monkeypatch.setattr("migrate.cache.SETTLED_NS", 0)
    monkeypatch.setattr("migrate.cache._tool", lambda: "this")  # whoever works on the tool runs its tests
    results = again.LastRun.results

    def observed(last: again.LastRun) -> Any:
        found = results(last)
        made.taken.append(found is not None)
        return found

    monkeypatch.setattr(again.LastRun, "results", observed)
    made.put("train.py", TRAIN)
    made.put("broken.py", BROKEN)
    made.put("linked/main.py", "from linked.engine import train\n\ntrain([])\n")
    made.put("linked/engine.py", TRAIN)
    made.put("other/page.py", "def render(page):\n    return page.title\n")
    made.put("other/model.py", "import torch\n\nlayer = torch.nn.Linear(1, 1)\n")
    return made


def test_what_is_taken_is_what_a_run_without_a_cache_finds(folder: Folder) -> None:
    for case in cases("scripts")[::9]:
        folder.put(f"scripts/{case.path.parent.name}.py", case.source)
    expected = folder.run_afresh()
    assert [folder.run(), folder.run()] == [expected, expected]
    assert folder.taken == [False, True]


def _change(folder: Folder) -> None:
    folder.put("linked/engine.py", TRAIN.replace("zero_grad()", "zero_grad(set_to_none=True)"))


def _change_unseen(folder: Folder) -> None:
    """Same size, and the old time of change of the contents: only that of the file's own data tells."""
    path = folder.path / "train.py"
    before = path.stat()
    folder.put("train.py", TRAIN.replace("0.1", "0.2"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def _swap(folder: Folder) -> None:
    """Two files change their names, all else stays."""
    one, other, between = (folder.path / name for name in ("train.py", "broken.py", "between"))
    one.rename(between)
    other.rename(one)
    between.rename(other)


@pytest.mark.parametrize(
    "change",
    [
        _change,
        _change_unseen,
        _swap,
        lambda folder: folder.put("other/page.py", TRAIN),
        lambda folder: folder.put("new.py", TRAIN),
        lambda folder: folder.put("other/new.py", "x = 1\n"),
        lambda folder: (folder.path / "train.py").unlink(),
        lambda folder: (folder.path / "other" / "page.py").unlink(),
        lambda folder: (folder.path / "train.py").rename(folder.path / "other" / "train.py"),
    ],
    ids=["changed", "changed unseen", "swapped", "silent changed", "added", "silent added", "removed", "silent removed",
         "moved"],
)  # fmt: skip
def test_a_change_is_seen(folder: Folder, change: Callable[[Folder], None]) -> None:
    folder.run()
    change(folder)
    expected = folder.run_afresh()
    assert [folder.run(), folder.run()] == [expected, expected]
    assert folder.taken == [False, False, True]


def test_a_file_without_training_that_a_program_runs_is_part_of_it(folder: Folder) -> None:
    project = ROOT / "projects" / "drawn_joints"
    for name in ("train.py", "joints.py", "drawing.py"):
        folder.put(f"drawn/{name}", (project / name).read_text())
    before = folder.run()
    folder.put("drawn/drawing.py", "def show(images, meta, epoch):\n    print(epoch)\n")
    expected = folder.run_afresh()
    assert [folder.run(), folder.run()] == [expected, expected]
    results = [
        str(result) for run in (before, expected) for path, _, result, *_ in run if str(path).endswith("drawn/train.py")
    ]
    assert ["MpDeviceLoader" in result for result in results] == [False, True]


@pytest.mark.parametrize(
    "order",
    [
        replace(ORDER, target=SMTC),
        replace(ORDER, prefilter=False),
        replace(ORDER, select=lambda script: Selection(ignore=frozenset({"TC4"}))),
        replace(ORDER, select=lambda script: Selection(safety=Safety.EXACT)),
        replace(
            ORDER, select=lambda script: Selection(ignore=frozenset({"TC1"} if script.path.name == "x.py" else ()))
        ),
    ],
    ids=["target", "pre-filter", "ignored", "safety", "ignored in one file"],
)
def test_other_settings_are_another_run(folder: Folder, order: Order) -> None:
    folder.put("x.py", TRAIN)
    folder.run()
    expected = folder.run_afresh(order)
    assert [folder.run(order), folder.run(order)] == [expected, expected]
    assert folder.taken == [False, False, True]


def test_a_file_that_may_change_unseen_is_looked_at_again(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(again, "SETTLED_NS", 3600 * 10**9)
    folder.run()
    folder.run()
    assert folder.taken == [False, False]


def test_a_file_that_changes_between_two_looks(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its times were asked for, and then somebody saved it: the result is that of the text it has now."""
    folder.run()
    scripts = folder.find()
    folder.put("train.py", TRAIN + "# a remark\n")
    with closing(Cache(folder.path.parent / "cache")) as cache:
        results = migrate_files(scripts, replace(ORDER, cache=cache))
        found = {script.path.name: migration for script, migration in results}
    assert found["train.py"].source == TRAIN + "# a remark\n"
    assert found["train.py"].result.endswith("# a remark\n")
    assert folder.run() == folder.run_afresh()
    assert folder.taken == [False, False, False]


def test_what_failed_is_tried_again(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(prepared: Prepared, **more: Any) -> Migration:
        return replace(migrate(prepared, **more), status=Status.FAILED)

    migrate = Prepared.migrate
    with monkeypatch.context() as patch:
        patch.setattr(Prepared, "migrate", fail)
        folder.run()
    assert folder.run() == folder.run_afresh()
    assert folder.taken == [False, False]


def test_what_cannot_be_read_is_tried_again(folder: Folder) -> None:
    (folder.path / "link.py").symlink_to("nowhere")
    folder.run()
    (folder.path / "nowhere").write_text(TRAIN)
    assert folder.run() == folder.run_afresh()
    assert folder.taken == [False, False]


def test_a_result_that_is_no_longer_there_is_made_again(folder: Folder) -> None:
    """Another run may have put a result with other links in its place."""
    folder.run()
    (file,) = (folder.path.parent / "cache").glob("*.sqlite3")
    with closing(Cache(folder.path.parent / "cache")) as cache, sqlite3.connect(file) as base:
        kept = cache.get([key for (key,) in base.execute("select key from results")])
        results = [key for key, each in kept.items() if isinstance(each, tuple) and isinstance(each[1], Migration)]
        assert results
        base.executemany("delete from results where key = ?", [(key,) for key in results])
    assert folder.run() == folder.run_afresh()
    assert folder.taken == [False, False]


def test_scripts_given_by_themselves_may_import_what_is_not_among_them(folder: Folder) -> None:
    def run() -> list[Told]:
        paths = [folder.path / name for name in ("train.py", "linked/main.py")]
        scripts = [Script(str(path), path.parent, None, status=path.stat()) for path in paths]
        with closing(Cache(folder.path.parent / "cache")) as cache:
            return [told(migration) for _, migration in migrate_files(scripts, replace(ORDER, cache=cache))]

    run()
    run()
    assert folder.taken == [False, False]
