"""A campaign over repositories on this machine: what is written where, and kills in between."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from migrate.cli import main
from tests.bot.repositories import git
from tests.campaign import load
from tests.campaign.fleet import BRANCH, Member, make_fleet, pushes

ROOT = Path(__file__).parents[2]


def call(folder: Path, *words: str, code: int = 0, given: bytes = b"") -> list[dict[str, Any]]:
    """The command, as a process of its own, and the repositories as its JSON report has them."""
    done = start(folder, *words, "--format", "json", given=given)
    assert done.returncode == code, done.stderr
    return list(json.loads(done.stdout)["repositories"])


def start(folder: Path, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """The command, whatever comes of it."""
    variables = {name: text for name, text in os.environ.items() if not name.startswith(("GITHUB_", "GH_"))}
    return subprocess.run(
        [sys.executable, "-m", "migrate.cli", "campaign", *words],
        cwd=folder,
        env={**variables, "PYTHONPATH": str(ROOT)},
        input=given,
        capture_output=True,
        timeout=240,
    )


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> list[Member]:
    """One repository of each kind, which no test writes to."""
    return make_fleet(tmp_path_factory.mktemp("fleet"), 18)


def test_killed_ten_times_all_are_accounted_for_and_none_is_pushed_twice(tmp_path: Path) -> None:
    figures = load.run(tmp_path, 18, kills=10, seed=1)
    assert figures.wrong == []
    assert (figures.kills, figures.standings.total()) == (10, 18)


def test_by_default_no_repository_is_written_to(fleet: list[Member], tmp_path: Path) -> None:
    listed = b"# all of them\n\n" + b"".join(os.fsencode(member.path) + b"\n" for member in fleet)
    before = [_state(member) for member in fleet]
    rows = call(tmp_path, "xla", "-", given=listed, code=2)
    assert [_state(member) for member in fleet] == before
    expected = {"pushed": "changes", "edited": "changes"}
    assert [row["standing"] for row in rows] == [expected.get(member.expected, member.expected) for member in fleet]
    patches = (tmp_path / ".tc-migrate/xla/patches").glob("*.patch")
    assert len(list(patches)) == [row["standing"] for row in rows].count("changes")
    kinds = {member.kind: row for member, row in zip(fleet, rows, strict=True)}
    assert kinds["brackets"]["counts"]["skipped"] + kinds["brackets"]["counts"]["failed"] == 1
    assert kinds["huge"]["counts"]["unread"] == 1
    assert (kinds["corrupt"]["error"], kinds["settings"]["error"]) == ("git", "settings")
    assert ".github/tc-migrate.yml:1: " in kinds["settings"]["reason"]


def _state(member: Member) -> list[tuple[str, bytes]]:
    files = (path for path in member.path.rglob("*") if path.is_file()) if member.path.exists() else ()
    return [(str(path), path.read_bytes()) for path in sorted(files)]


def test_a_second_run_does_nothing_and_a_third_what_has_changed(tmp_path: Path) -> None:
    members = [member for member in make_fleet(tmp_path / "r", 4) if member.kind in ("honest", "another", "clean")]
    paths = [str(member.path) for member in members]
    call(tmp_path, "xla", *paths, "--push")
    first = [pushes(member) for member in members]
    assert [len(moves) for moves in first] == [1, 0, 1]
    seconds = [row["seconds"] for row in call(tmp_path, "xla", "--push")]
    assert [row["seconds"] for row in call(tmp_path, "status", "xla")] == seconds, "nothing was analysed again"
    _commit_more(members[0].path)
    assert [row["standing"] for row in call(tmp_path, "xla", "--push")] == ["pushed", "clean", "pushed"]
    assert [len(pushes(member)) for member in members] == [2, 0, 1]
    assert call(tmp_path, "xla", paths[0], "--push", "--target", "torch-xla==2.9")[0]["standing"] == "pushed"
    assert b"torch_xla.device()" in git(members[0].path, "cat-file", "blob", "tc-migrate/torch-xla-2.9:train.py")


def test_a_persons_branch_is_left_also_when_only_its_last_commit_is_theirs(tmp_path: Path) -> None:
    (member,) = make_fleet(tmp_path / "r", 1)
    call(tmp_path, "xla", str(member.path), "--push")
    tree = git(member.path, "rev-parse", f"{BRANCH}^{{tree}}").decode()
    mine = git(member.path, "commit-tree", "-p", BRANCH, "-m", "mine", tree).decode()
    git(member.path, "update-ref", f"refs/heads/{BRANCH}", mine)
    _commit_more(member.path)
    assert [row["standing"] for row in call(tmp_path, "xla", "--push")] == ["edited"]
    assert git(member.path, "rev-parse", BRANCH).decode() == mine
    assert [row["standing"] for row in call(tmp_path, "close", "xla", "--yes")] == ["edited"]
    assert [row["standing"] for row in call(tmp_path, "xla", "--push", "--force")] == ["pushed"]
    assert git(member.path, "rev-parse", BRANCH).decode() != mine


def test_branches_are_closed_and_not_pushed_again_unasked(tmp_path: Path) -> None:
    (member,) = make_fleet(tmp_path / "r", 1)
    call(tmp_path, "xla", str(member.path), "--push")
    assert [row["standing"] for row in call(tmp_path, "close", "xla", "--yes")] == ["closed"]
    assert git(member.path, "for-each-ref", f"refs/heads/{BRANCH}") == b""
    _commit_more(member.path)
    assert [row["standing"] for row in call(tmp_path, "xla", "--push")] == ["closed"]
    assert [row["standing"] for row in call(tmp_path, "xla", "--push", "--again")] == ["pushed"]


def _commit_more(path: Path) -> None:
    """The base moves, and the edits stay what they are."""
    tree = git(path, "rev-parse", "main^{tree}").decode()
    git(path, "update-ref", "refs/heads/main", git(path, "commit-tree", "-p", "main", "-m", "more", tree).decode())


def test_two_processes_do_not_work_on_one_campaign(tmp_path: Path) -> None:
    folder = tmp_path / ".tc-migrate/xla"
    folder.mkdir(parents=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = start(tmp_path, "xla", str(tmp_path))
    assert done.returncode == 2
    assert b"another process is working on this campaign" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("xla",), "campaign xla has no repositories yet"),
        (("status", "xla"), "there is no campaign xla"),
        (("../xla", "."), "cannot be the name of a campaign"),
        (("xla", "http://example.org/a/b"), "cannot be fetched"),
        (("xla", "no such thing"), "is no repository: give a folder"),
        (("xla", ".", "--pr"), "set GITHUB_TOKEN or GH_TOKEN"),
        (("xla", "--repos-file", "nowhere"), "nowhere: "),
        (("xla", ".", "--report", "a.txt"), "known are .json, .md, .html"),
        (("status", "xla", "--report", "no/a.md"), "no such folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_what_cannot_be_is_said_in_a_line(
    words: tuple[str, ...], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("GITHUB_TOKEN", "GH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    done = CliRunner().invoke(main, ["campaign", *words], prog_name="tc-migrate", catch_exceptions=False)
    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


def test_ctrl_c_ends_it_and_the_same_command_goes_on(tmp_path: Path) -> None:
    members = make_fleet(tmp_path / "r", 27)
    words = ["xla", *(str(member.path) for member in members if member.kind != "names")]
    # It tells of each repository, and waits when nobody reads: it cannot come to its end before the interrupt.
    reader, writer = os.pipe()
    room = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.write(writer, bytes(room - 1000))
    process = subprocess.Popen(
        [sys.executable, "-m", "migrate.cli", "campaign", *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=writer,
    )
    os.close(writer)
    while int.from_bytes(fcntl.ioctl(reader, termios.FIONREAD, bytes(4)), sys.byteorder) == room - 1000:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    with open(reader, "rb") as said:
        told = said.read()
    process.wait()
    assert process.returncode == 130
    assert b"the same command goes on from here" in told
    assert b"Traceback" not in told
    assert not (tmp_path / ".tc-migrate/xla/work").exists()
    rows = call(tmp_path, "xla", code=2)
    assert "queued" not in [row["standing"] for row in rows]
