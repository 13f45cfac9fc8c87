"""`--write`: what git could not give back is not written unasked, backups, and runs that are killed."""

from __future__ import annotations

import os
import pty
import random
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from migrate.cli import main
from migrate.migration import MigrateError
from migrate.repos import unsaved
from tests.kill import Trial, kill_runs

HOUSE = Path(__file__).parent.parent
TRAIN = "import torch\n\nmodel = torch.nn.Linear(3, 3).cuda()\n"
PLAIN = "print('no CUDA')\n"


def git(folder: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(folder), *who, *words], check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two scripts to migrate and one without CUDA, all committed."""
    folder = tmp_path / "repository"
    folder.mkdir()
    for name, text in (("a.py", TRAIN), ("b.py", TRAIN), ("plain.py", PLAIN)):
        (folder / name).write_text(text)
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "scripts")
    return folder


def call(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["--no-cache", "-j", "1", *arguments], prog_name="tc-migrate")


def migrated(path: Path) -> bool:
    return "torch_xla" in path.read_text()


def test_a_clean_tree_is_written_and_git_takes_it_back(repository: Path) -> None:
    result = call("--write", str(repository))
    assert result.exit_code == 0, result.output
    assert migrated(repository / "a.py")
    git(repository, "checkout", ".")
    assert (repository / "a.py").read_text() == TRAIN


def test_one_changed_file_keeps_all_from_being_written(repository: Path) -> None:
    (repository / "b.py").write_text(TRAIN + "# mine\n")
    result = call("--write", str(repository))
    assert result.exit_code == 2
    assert "nothing was written: 1 of 2 files to write holds changes" in result.output
    assert "b.py" in result.output
    assert "--backup or --force" in result.output
    assert not migrated(repository / "a.py")
    assert (repository / "b.py").read_text() == TRAIN + "# mine\n"


def test_only_files_that_would_be_written_count(repository: Path) -> None:
    (repository / "plain.py").write_text(PLAIN * 2)
    (repository / "notes.txt").write_text("mine\n")
    assert call("--write", str(repository)).exit_code == 0
    assert migrated(repository / "a.py")


@pytest.mark.parametrize("option", ["--force", "--backup"])
def test_consent(repository: Path, option: str) -> None:
    (repository / "b.py").write_text(TRAIN + "# mine\n")
    assert call("--write", option, str(repository)).exit_code == 0
    assert migrated(repository / "b.py")
    backups = {path.name: path.read_text() for path in repository.glob("*.orig")}
    assert backups == ({"a.py.orig": TRAIN, "b.py.orig": TRAIN + "# mine\n"} if option == "--backup" else {})


@pytest.mark.parametrize(("answer", "written"), [("y", True), ("n", False), ("", False)])
def test_a_person_is_asked(repository: Path, answer: str, written: bool) -> None:
    (repository / "b.py").write_text(TRAIN + "# mine\n")
    leader, follower = pty.openpty()
    words = [sys.executable, "-m", "migrate.cli", "--no-cache", "--write", str(repository)]
    process = subprocess.Popen(words, cwd=HOUSE, stdin=follower, stdout=subprocess.DEVNULL, stderr=follower)
    os.close(follower)
    os.write(leader, f"{answer}\n".encode())
    said = b""
    while True:
        try:
            said += os.read(leader, 1000)
        except OSError:  # the other end is closed
            break
    os.close(leader)
    assert b"Write all the same? [y/N]" in said
    assert process.wait(60) == (0 if written else 2)
    assert migrated(repository / "a.py") is migrated(repository / "b.py") is written


def test_what_git_could_not_give_back(repository: Path) -> None:
    names = ["staged.py", "new.py", "ignored.py", "deleted.py", "sub/x*.py", "sub/line\nend.py"]
    (repository / "sub").mkdir()
    (repository / ".gitignore").write_text("ignored.py\n")
    for name in names:
        (repository / name).write_text("1\n")
    git(repository, "add", "staged.py", "deleted.py", "sub")
    git(repository, "commit", "-q", "-m", "more")
    for name in ("staged.py", "sub/x*.py", "sub/line\nend.py"):
        (repository / name).write_text("2\n")
    git(repository, "add", "staged.py")
    (repository / "deleted.py").unlink()
    outside = repository.parent / "outside.py"
    outside.write_text("1\n")
    asked = [repository / name for name in [*names, "a.py"] if name != "deleted.py"]
    found = {path.relative_to(repository).as_posix() for path in unsaved([*asked, outside])}
    assert found == {"new.py", "ignored.py", "sub/x*.py", "sub/line\nend.py"}


def test_git_that_cannot_say_is_no_consent(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MigrateError, match="git cannot be run"):
        unsaved([repository / "a.py"])
    monkeypatch.undo()
    (repository / ".git" / "index").write_bytes(b"broken")
    result = call("--write", str(repository / "a.py"))
    assert result.exit_code == 2
    assert "git cannot say what is committed" in result.output
    assert not migrated(repository / "a.py")
    assert call("--write", "--force", str(repository / "a.py")).exit_code == 0


def test_options_that_need_write(repository: Path) -> None:
    assert call("--force", str(repository)).exit_code == 2
    assert call("--backup", "--check", str(repository)).exit_code == 2


def test_a_run_that_is_killed_leaves_originals_and_results(tmp_path: Path) -> None:
    """The same with 2,000 files and 50 kills: `python -m tests.kill`."""
    trial = Trial(tmp_path, ("-j", "2", "--cache-dir", str(tmp_path / "cache")))
    took = trial.prepare(60)
    amid, _, broken = kill_runs(trial, 5, random.Random(0))
    assert broken == []
    assert amid or took < 0.2, "no run was killed while it wrote"
