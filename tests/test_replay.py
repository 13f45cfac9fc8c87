"""A run over what an earlier run has left as it is says what that one said; over anything else it does its work."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from migrate import cli_replay
from migrate.batch import again
from migrate.cli import main
from migrate.cli_batch import Gathered
from migrate.migration import Migration, Status
from migrate.pipeline import Prepared
from migrate.render.formats import FORMATS
from tests.goldens import cases
from tests.training_script import TRAIN

BROKEN = "import torch\n\ntorch.cuda.synchronize(\n"


@dataclass
class Folder:
    """A folder of scripts, which is the current one, with a cache of its own beside it."""

    path: Path
    worked: list[bool] = field(default_factory=list)
    """Of each run, whether it did the work."""

    def put(self, name: str, text: str) -> None:
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text)

    def run(self, *words: str, paths: tuple[str, ...] = (".",)) -> tuple[int, bytes, bytes, bytes]:
        """The exit code, both streams, and what comes where both are one."""
        result = self._call("--cache-dir", str(self.path.parent / "cache"), *words, *paths)
        return result.exit_code, result.stdout_bytes, result.stderr_bytes, result.output_bytes

    def run_afresh(self, *words: str, paths: tuple[str, ...] = (".",)) -> tuple[int, bytes, bytes, bytes]:
        result = self._call("--no-cache", *words, *paths)
        self.worked.pop()
        return result.exit_code, result.stdout_bytes, result.stderr_bytes, result.output_bytes

    def _call(self, *words: str) -> Result:
        self.worked.append(False)
        return CliRunner().invoke(main, words, prog_name="tc-migrate", catch_exceptions=False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    """Scripts that change, that import each other, that cannot be parsed, that have nothing to do with training; and
    a list of packages."""
    made = Folder(tmp_path / "tree")
    monkeypatch.setattr(again, "SETTLED_NS", 0)
    monkeypatch.setattr("migrate.cache.SETTLED_NS", 0)
    monkeypatch.setattr("migrate.cache._tool", lambda: "this")  # whoever works on the tool runs its tests
    migrate = Gathered.migrate

    def observed(files: Gathered, *arguments: Any) -> Any:
        made.worked[-1] = True
        return migrate(files, *arguments)

    monkeypatch.setattr(Gathered, "migrate", observed)
    made.put("train.py", TRAIN)
    made.put("broken.py", BROKEN)
    made.put("linked/main.py", "from linked.engine import train\n\ntrain([])\n")
    made.put("linked/engine.py", TRAIN)
    made.put("other/page.py", "def render(page):\n    return page.title\n")
    made.put("requirements.txt", "torch==2.9.0\napex\n")
    monkeypatch.chdir(made.path)
    return made


@pytest.mark.parametrize(
    "words",
    [*(("--format", form) for form in ("text", *FORMATS)), ("--check",), ("--statistics",), ("--annotate",),
     ("--statistics", "--format", "json"), ("--check", "--exit-zero", "--safety", "exact")],
    ids=" ".join,
)  # fmt: skip
def test_what_is_said_again_is_what_a_run_without_a_cache_says(folder: Folder, words: tuple[str, ...]) -> None:
    for case in cases("scripts")[::20]:
        folder.put(f"scripts/{case.path.parent.name}.py", case.source)
    (folder.path / "scripts" / "latin.py").write_bytes(b"# coding: latin-1\n" + TRAIN.encode() + b"# \xe4\r\n")
    expected = folder.run_afresh(*words)
    assert all(expected)
    assert [folder.run(*words), folder.run(*words)] == [expected, expected]
    assert folder.worked == [True, False]


@pytest.mark.parametrize(
    "change",
    [
        lambda folder: folder.put("train.py", TRAIN.replace("0.1", "0.2")),
        lambda folder: folder.put("other/page.py", "def render(page):\n    return page.name\n"),
        lambda folder: folder.put("linked/engine.py", TRAIN.replace("zero_grad()", "zero_grad(set_to_none=True)")),
        lambda folder: folder.put("new.py", "x = 1\n"),
        lambda folder: (folder.path / "broken.py").unlink(),
        lambda folder: (folder.path / "train.py").rename(folder.path / "other" / "train.py"),
        lambda folder: folder.put("requirements.txt", "torch==2.9.0\n"),
        lambda folder: folder.put("environment.yml", "dependencies:\n  - cudatoolkit\n"),
        lambda folder: (folder.path / "requirements.txt").unlink(),
        lambda folder: folder.put("pyproject.toml", '[tool.tc-migrate]\ntarget = "torch-xla==2.9"\n'),
        lambda folder: folder.put("pyproject.toml", '[tool.tc-migrate]\nexclude = ["linked"]\n'),
        lambda folder: folder.put("pyproject.toml", '[tool.tc-migrate.per-file-ignores]\n"train.py" = ["TC1"]\n'),
        lambda folder: folder.put("pyproject.toml", '[tool.tc-migrate]\nignore = ["TC805"]\n'),
    ],
    ids=["script", "silent script", "linked script", "silent added", "removed", "moved", "list", "list added",
         "list removed", "target", "excluded", "ignored in a file", "ignored in a list"],
)  # fmt: skip
def test_a_change_is_seen(folder: Folder, change: Callable[[Folder], None]) -> None:
    folder.run()
    change(folder)
    expected = folder.run_afresh()
    assert [folder.run(), folder.run()] == [expected, expected]
    assert folder.worked == [True, True, False]


def test_settings_above_the_folder_are_seen(folder: Folder) -> None:
    folder.run(paths=("linked",))
    folder.put("pyproject.toml", '[tool.tc-migrate]\ntarget = "torch-xla==2.9"\n')
    expected = folder.run_afresh(paths=("linked",))
    assert [folder.run(paths=("linked",)), folder.run(paths=("linked",))] == [expected, expected]
    assert folder.worked == [True, True, False]


@pytest.mark.parametrize(
    "words",
    [("--target", "torch-xla==2.9"), ("--check",), ("--select", "device"), ("--no-prefilter",), ("--exclude", "other"),
     ("--include", "train.py"), ("--requirements",)],
    ids=" ".join,
)  # fmt: skip
def test_other_words_are_another_run(folder: Folder, words: tuple[str, ...]) -> None:
    folder.run()
    expected = folder.run_afresh(*words)
    assert [folder.run(*words), folder.run(*words)] == [expected, expected]
    assert folder.worked == [True, True, False]


def test_another_folder_is_another_run(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same path, the same names, sizes and times: patches name files from where the user is."""
    folder.put("other/tree/train.py", TRAIN)
    os.utime("other/tree/train.py", (0, 0))
    path = str(folder.path / "other" / "tree")
    first = folder.run(paths=(path,))
    monkeypatch.chdir(folder.path / "other")
    expected = folder.run_afresh(paths=(path,))
    assert expected != first
    assert folder.run(paths=(path,)) == expected
    assert folder.worked == [True, True]


def test_what_is_written_or_given_by_itself_is_worked_on(folder: Folder) -> None:
    for words, paths in (
        (("--check",), ("train.py",)),
        (("--check",), (".", "train.py")),
        (("--report-only",), (".",)),
        (("--report", str(folder.path.parent / "out.json")), (".",)),
        (("--write", "--force"), (".",)),
    ):
        assert folder.run(*words, paths=paths)[0] in (0, 1, 2)
        assert folder.run(*words, paths=paths)[0] in (0, 1, 2)
    assert folder.worked == [True] * 10


def test_a_person_at_a_terminal_is_shown_the_work(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    folder.run()
    monkeypatch.setattr("migrate.cli_run.can_replay", lambda: False)
    folder.run()
    assert folder.worked == [True, True]


def test_a_file_that_may_change_unseen_is_looked_at_again(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(again, "SETTLED_NS", 3600 * 10**9)
    assert folder.run() == folder.run()
    assert folder.worked == [True, True]


def test_what_failed_is_tried_again(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(prepared: Prepared, **more: Any) -> Migration:
        return replace(migrate(prepared, **more), status=Status.FAILED, reason="broken")

    migrate = Prepared.migrate
    with monkeypatch.context() as patch:
        patch.setattr(Prepared, "migrate", fail)
        folder.run("-j", "1")
    assert folder.run("-j", "1") == folder.run_afresh("-j", "1")
    assert folder.worked == [True, True]


def test_what_cannot_be_read_is_tried_again(folder: Folder) -> None:
    folder.put("dark.py", TRAIN + "# \xe4\n")
    (folder.path / "dark.py").write_bytes(b"import torch\n# \xff\n")
    first = folder.run()
    assert b"dark.py: not utf-8 text" in first[2]
    assert folder.run() == first
    assert folder.worked == [True, True]


def test_what_was_broken_off_is_done_again(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("migrate.cli_output.Pipe.close", interrupt)
        assert folder.run()[0] == 130
    assert folder.run() == folder.run_afresh()
    assert folder.worked == [True, True]


def test_a_report_that_is_too_large_is_made_anew(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_replay, "_LARGEST", 100)
    assert folder.run() == folder.run()
    assert folder.worked == [True, True]
