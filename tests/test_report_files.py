"""Where a report may be written: over nothing that is not a report of ours, and whole or not at all."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from migrate.cli_report_files import check_reports, write_report
from migrate.migration import MigrateError
from migrate.render.formats import FORMATS
from tests.test_cli import call, folder
from tests.test_reports import golden_entries, rendered
from tests.training_script import TRAIN

__all__ = ["folder"]


def git(*words: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True, capture_output=True)


def kept(report: str, path: str, text: str) -> str:
    """What is said of a report that is refused; the file is as it was, and nothing was migrated for it."""
    Path("train.py").write_text(TRAIN)
    place = Path(path)
    if not os.path.lexists(place):
        place.write_text(text)
    done = call("train.py", "--report", report)
    assert done.exit_code == 2
    assert done.stdout == ""
    assert place.read_text() == text
    return done.stderr


def test_a_script_is_not_overwritten(folder: Path) -> None:
    assert "one of the files to migrate" in kept("html=train.py", "train.py", TRAIN)
    assert "the name of a script" in kept("html=empty.py", "empty.py", "")
    assert "no report of tc-migrate" in kept("html=README.md", "README.md", "# Mine\n\nIt uses tc-migrate.\n")
    assert "no report of tc-migrate" in kept("settings.json", "settings.json", '{"tool": "other"}')


@pytest.mark.parametrize(
    "words", [["smoke", "train.py", "--html", "train.py"], ["smoke", "train.py", "--markdown", "a.py"]]
)
def test_a_proof_is_not_written_over_a_script_either(words: list[str], folder: Path) -> None:
    Path("train.py").write_text(TRAIN)
    done = call(*words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert "no report can be written" in done.stderr
    assert Path("train.py").read_text() == TRAIN


def test_what_git_tracks_is_not_overwritten(folder: Path) -> None:
    Path("report.html").write_text(text := rendered("html"))
    git("init")
    git("add", "report.html")
    assert "git tracks it" in kept("report.html", "report.html", text)


def test_links_are_refused(folder: Path) -> None:
    Path("theirs.html").write_text(text := rendered("html"))
    Path("link.html").symlink_to("theirs.html")
    Path("gone.html").symlink_to("nowhere.html")
    assert "it is a link" in kept("link.html", "link.html", text)
    assert "a link to nowhere" in call("train.py", "--report", "gone.html").stderr
    assert not Path("nowhere.html").exists()


def test_two_reports_are_not_written_to_one_file(folder: Path) -> None:
    Path("train.py").write_text(TRAIN)
    done = call("train.py", "--report", "a.html", "--report", "json=./a.html")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "two reports" in done.stderr


@pytest.mark.parametrize("form", sorted(FORMATS))
@pytest.mark.parametrize("empty", [True, False])
def test_our_own_reports_are_replaced(form: str, empty: bool, folder: Path) -> None:
    old, new = rendered(form, *([] if empty else golden_entries()[:1])), rendered(form, *golden_entries())
    path = Path("report")
    path.write_text(old)
    path.chmod(0o640)
    write_report(path, [new])
    assert path.read_text() == new
    assert path.stat().st_mode & 0o777 == 0o640
    assert os.listdir() == ["report"]


def test_a_report_that_cannot_be_finished_leaves_the_old_one(folder: Path) -> None:
    path = Path("report.html")
    path.write_text(old := rendered("html"))

    def parts() -> Iterator[str]:
        yield "half"
        raise OSError(28, "No space left on device")

    with pytest.raises(MigrateError, match="No space left"):
        write_report(path, parts())
    assert path.read_text() == old
    assert os.listdir() == ["report.html"]


def test_an_empty_file_and_a_device_are_written(folder: Path) -> None:
    Path("empty.html").touch()
    check_reports([Path("empty.html"), Path("/dev/null")])
    write_report(Path("/dev/null"), ["text"])
    write_report(Path("empty.html"), ["text"])
    assert Path("empty.html").read_text() == "text"
