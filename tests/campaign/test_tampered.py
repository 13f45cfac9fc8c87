"""A campaign whose folder somebody else has had a hand in: nothing is deleted that no run made, and it is said."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from migrate.campaign.state import State, alone
from migrate.migration import MigrateError
from tests.bot.repositories import git
from tests.campaign.fleet import BRANCH, make_fleet
from tests.campaign.test_folders import call, start


def write(state: Path, column: str, value: object) -> None:
    db = sqlite3.connect(state)
    with db:
        db.execute(f'UPDATE repository SET "{column}" = ?', (value,))
    db.close()


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (member,) = make_fleet(tmp_path / "r", 1)
    call(tmp_path, "xla", str(member.path), "--push")
    return tmp_path / ".tc-migrate/xla/state.db"


def test_close_deletes_only_what_a_run_has_made(tmp_path: Path, state: Path) -> None:
    """A local `main` was deleted, and a branch of somebody's beside ours."""
    bare = tmp_path / "r" / next(path.name for path in (tmp_path / "r").iterdir())
    tip = git(bare, "rev-parse", "main").decode()
    for branch in ("main", "tc-migrate/mine"):
        git(bare, "update-ref", f"refs/heads/{branch}", tip)
        write(state, "branch", branch)
        write(state, "tip", tip)
        done = start(tmp_path, "close", "xla", "--yes")
        assert (done.returncode, b"Traceback" in done.stderr) == (2, False)
        assert git(bare, "rev-parse", branch).decode() == tip
    assert b"tc-migrate/mine is no branch that tc-migrate has made" in done.stderr
    assert git(bare, "rev-parse", "--verify", BRANCH)


@pytest.mark.parametrize(
    ("column", "value"),
    [("stage", "flown"), ("result", "x"), ("kind", "ftp"), ("source", "../../etc"), ("source", b"x"), ("counts", "{"),
     ("counts", "[]"), ("counts", '{"a": "b"}'), ("number", "one"), ("branch", 3), ("branch", "main"), ("url", b"x"),
     ("changed", "now"), ("attempts", "x")],
)  # fmt: skip
def test_a_state_that_was_tampered_with_is_said_in_a_sentence(state: Path, column: str, value: object) -> None:
    write(state, column, value)
    with pytest.raises(MigrateError, match="is not as tc-migrate left it"):
        State(state).records()


def test_a_run_that_was_tampered_with(state: Path) -> None:
    db = sqlite3.connect(state)
    with db:
        db.execute("UPDATE run SET opened = 'x', is_over = 0")
    db.close()
    with pytest.raises(MigrateError, match="is not as tc-migrate left it"):
        State(state).reserve(1, 5)


@pytest.mark.parametrize("name", ["", "work", "patches", "state.db", "lock"])
def test_a_folder_that_is_a_link_is_refused(tmp_path: Path, name: str) -> None:
    elsewhere, folder = tmp_path / "elsewhere", tmp_path / "campaigns/xla"
    (elsewhere / "work").mkdir(parents=True)
    (folder.parent if not name else folder).mkdir(parents=True)
    (folder / name).symlink_to(elsewhere)
    with pytest.raises(MigrateError, match="is a link"), alone(folder):
        pass
    assert (elsewhere / "work").is_dir()


def test_a_repository_that_is_a_link_is_passed_over(tmp_path: Path) -> None:
    (member,) = make_fleet(tmp_path / "r", 1)
    (tmp_path / "link").symlink_to(member.path)
    (row,) = call(tmp_path, "xla", "link", "--push")
    assert "a link: name the folder it leads to" in row["reason"]
    assert git(member.path, "for-each-ref", f"refs/heads/{BRANCH}") == b""


def test_the_help_says_what_it_needs(tmp_path: Path) -> None:
    assert b"tc-migrate[bot]" in start(tmp_path, "--help").stdout
