"""Which files of a folder are scripts, with git and without."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from migrate import discover
from migrate.discover import expand, find_scripts


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with files that are tracked, new, ignored and deleted, and another repository in it."""
    top = tmp_path / "repository"
    for name in ("train.py", "models/net.py", "build/made.py", "gone.py", "notes.txt", ".hidden.py", ".ci/check.py",
                 "node_modules/x.py", "new.py", "inner/deep/own.py"):  # fmt: skip
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text("x = 1\n")
    (top / ".gitignore").write_text("build/\n")
    _git(top / "inner", "init", "-q")
    _git(top, "init", "-q")
    _git(top, "add", "train.py", "models", "gone.py", ".ci", "node_modules", ".hidden.py")
    (top / "gone.py").unlink()
    return top


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True, timeout=30)


def found(folder: Path, **choice: Any) -> list[str]:
    return [Path(each.name).relative_to(folder).as_posix() for each in find_scripts([folder], **choice)]


def test_of_a_repository_what_git_tracks_or_would_track(repository: Path) -> None:
    assert found(repository) == ["inner/deep/own.py", "models/net.py", "new.py", "train.py"]
    assert found(repository / "models") == ["net.py"]


def test_a_folder_that_is_ignored_is_taken_when_it_is_named(repository: Path) -> None:
    assert found(repository / "build") == ["made.py"]


def test_without_git_the_folder_is_walked(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not installed, or it refuses: what it would have ignored is then found as well."""
    walked = ["build/made.py", "inner/deep/own.py", "models/net.py", "new.py", "train.py"]
    with monkeypatch.context() as patch:
        patch.setenv("PATH", "")
        assert found(repository) == walked
    (repository / ".git" / "index").write_bytes(b"damaged")
    assert found(repository) == walked


def test_a_repository_is_only_read(repository: Path) -> None:
    """A file system monitor is a program that the repository names."""
    mark = repository.parent / "ran"
    _git(repository, "config", "core.fsmonitor", f"touch {mark}; false")
    assert "train.py" in found(repository)
    assert not mark.exists()


def test_what_is_included_and_excluded(repository: Path) -> None:
    assert found(repository, included=lambda name: name.endswith(".txt")) == ["notes.txt"]
    assert found(repository, excluded=lambda path: path.name == "models") == ["inner/deep/own.py", "new.py", "train.py"]


def test_git_and_a_walk_agree_where_nothing_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a.py", "b/c.py", "b-c/d.py", "env/bin/activate", "env/lib/x.py", "venv/y.py", "é/ü n.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "link.py").symlink_to("a.py")
    (tmp_path / "nowhere.py").symlink_to("gone.py")
    _git(tmp_path, "init", "-q")
    with_git = found(tmp_path)
    monkeypatch.setattr(discover, "_in_repository", lambda folder: False)
    assert with_git == found(tmp_path) == ["a.py", "b/c.py", "b-c/d.py", "link.py", "é/ü n.py"]


def test_a_folder_that_cannot_be_listed_is_not_left_out_silently(repository: Path) -> None:
    locked = repository / "locked"
    locked.mkdir()
    (locked / "x.py").write_text("")
    locked.chmod(0)
    try:
        if os.access(locked, os.R_OK):
            pytest.skip("this user may list every folder")
        assert "locked" in found(repository)
    finally:
        locked.chmod(0o700)


def test_patterns_are_expanded_and_paths_are_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b/c.py", "b/[x].py"):
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text("")
    assert list(map(str, expand(["**/*.py"]))) == ["a.py", "b/[x].py", "b/c.py"]
    assert list(map(str, expand(["b/[x].py", "gone.py", "z*.py"]))) == ["b/[x].py", "gone.py", "z*.py"]
