"""The bot's git: what is read, what is written, that the same is the same, and that a branch is only moved by lease."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from migrate.bot.git.commits import Author, Draft
from migrate.bot.git.contents import Limits
from migrate.bot.git.remote import GitError, Remote
from migrate.bot.git.store import BranchMoved, Store
from tests.bot.repositories import commit_files, commit_tree, git, listing, make_bare, make_tree, run

BOT = Author("tc-migrate[bot]", "bot@example.org")
TRAIN = b"import torch\nmodel.cuda()\n"
SMALL = Limits(script_bytes=100, notebook_bytes=200, files=3, total_bytes=250, seconds=20)


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return make_bare(tmp_path / "origin")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store", Limits(seconds=30))


def remote(folder: Path) -> Remote:
    return Remote(str(folder))


def test_reads_the_scripts_of_a_branch_and_nothing_else(origin: Path, store: Store) -> None:
    files = {"train.py": TRAIN, "a/b/model.py": b"x\r\n", "a/notes.ipynb": b"{}", "README.md": b"#", ".ci/run.py": b"",
             "venv/x.py": b"", "a/.hidden.py": b"", "data.bin": os.urandom(2000)}  # fmt: skip
    commit = commit_files(origin, files)
    assert store.fetch(remote(origin), "main") == commit
    contents = store.read(commit)
    assert {path: file.data for path, file in contents.files.items()} == {
        path: files[path] for path in ("a/b/model.py", "a/notes.ipynb", "train.py")
    }
    assert contents.skipped == {}
    assert store.read_file(commit, "README.md") == b"#"
    assert store.read_file(commit, "missing.md") is None
    assert store.read_file(commit, ":(glob)**") is None
    assert store.read_file(commit, "a") is None


def test_brings_no_history(origin: Path, store: Store) -> None:
    first = commit_files(origin, {"train.py": b"old"})
    second = git(origin, "commit-tree", "-m", "second", "-p", first, f"{first}^{{tree}}").decode()
    git(origin, "update-ref", "refs/heads/main", second)
    assert store.fetch(remote(origin), "main") == second
    assert run(store.folder, "cat-file", "-e", first).returncode != 0
    assert store.describe(second).message == "second"


def test_a_commit_is_fetched_by_its_id(origin: Path, store: Store) -> None:
    git(origin, "config", "uploadpack.allowAnySHA1InWant", "true")
    first = commit_files(origin, {"train.py": b"old"})
    commit_files(origin, {"train.py": b"new"})
    assert store.fetch(remote(origin), first) == first


def test_a_branch_that_is_not_there_is_said_to_be(origin: Path, store: Store) -> None:
    commit_files(origin, {"train.py": TRAIN})
    assert store.head(remote(origin), "other") is None
    with pytest.raises(GitError, match="couldn't find remote ref"):
        store.fetch(remote(origin), "other")
    with pytest.raises(GitError, match="is no name of a branch"):
        store.fetch(remote(origin), "a..b")
    with pytest.raises(GitError, match=r"git fetch: .*does not appear to be a git repository"):
        store.fetch(remote(origin / "nowhere"), "main")


# --- commits ----------------------------------------------------------------------------------------------------------


def test_only_the_named_files_change_and_all_else_is_as_it_was(origin: Path, store: Store) -> None:
    module = make_tree(origin, [("100644", "in.txt", b"in")])
    commit = commit_tree(
        origin,
        [
            ("100644", ".gitmodules", b'[submodule "sub"]\n\tpath = sub\n\turl = https://example.org/x.git\n'),
            ("100644", b"caf\xe9.py", b"odd = 1\n"),
            ("120000", "leak.py", b"/etc/passwd"),
            ("40000", "pack", module.encode()),
            ("100755", "run.py", TRAIN),
            ("160000", "sub", b"1" * 40),
            ("100644", "tab\there.py", b""),
            ("100644", 'with "quotes" and \\ .py', TRAIN),
        ],
    )
    store.fetch(remote(origin), "main")
    base = store.read(commit)
    odd = os.fsdecode(b"caf\xe9.py")
    assert sorted(base.files) == sorted([odd, "run.py", 'with "quotes" and \\ .py'])
    assert base.skipped == {"leak.py": "a link", "tab\there.py": "its name is none that a file of a project has"}
    new = {path: b"new of %b" % os.fsencode(path) for path in base.files}
    written = store.write(base, [Draft("new", new)], BOT)
    store.push(remote(origin), "tc-migrate/smtc", written, expected=None)
    before, after = listing(origin, commit), listing(origin, written)
    assert before.keys() == after.keys()
    assert {path for path in before if before[path] != after[path]} == {os.fsencode(path) for path in new}
    assert after[b"run.py"].startswith(b"100755 blob")
    assert {path: file.data for path, file in store.read(written).files.items()} == new
    assert git(origin, "fsck", "--strict") == b""


def test_the_same_drafts_are_the_same_commits(origin: Path, tmp_path: Path) -> None:
    commit = commit_files(origin, {"a.py": TRAIN, "b.py": TRAIN})
    drafts = [Draft("first\n\nwhy: \u00e9 \udc80", {"a.py": b"1"}), Draft("second", {"b.py": b"2", "a.py": b"3"})]
    made = []
    for name in ("one", "two"):
        store = Store(tmp_path / name)
        store.fetch(remote(origin), "main")
        made.append(store.write(store.read(commit), drafts, BOT))
    assert made[0] == made[1]
    store.push(remote(origin), "b", made[0], expected=None)
    said = git(origin, "log", "--format=%an <%ae> %cn %ad %cd %s", "--date=raw", "b").decode().splitlines()
    assert said[:2] == [f"{BOT.name} <{BOT.email}> {BOT.name} 1700000000 +0000 1700000000 +0000 {each}"
                        for each in ("second", "first")]  # fmt: skip
    facts = store.describe(made[0])
    assert (facts.author, facts.message, facts.seconds, len(facts.parents)) == (BOT, "second", 1700000000, 1)


def test_a_file_that_was_not_read_is_never_written(origin: Path, store: Store) -> None:
    commit = commit_tree(origin, [("120000", "leak.py", b"/etc/passwd"), ("100644", "train.py", TRAIN)])
    store.fetch(remote(origin), "main")
    base = store.read(commit)
    for path in ("leak.py", "new.py", "../train.py", ".git/config"):
        with pytest.raises(ValueError, match="is no file that was read"):
            store.write(base, [Draft("x", {path: b""})], BOT)


@pytest.mark.parametrize("name", ["a\nb", "a <b", "", "a\0"])
def test_a_name_that_would_end_the_line_of_a_commit_is_no_author(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be the author"):
        Author(name, "a@b")


# --- leases -----------------------------------------------------------------------------------------------------------


def test_a_branch_is_moved_only_from_where_it_was_seen(origin: Path, store: Store) -> None:
    there = remote(origin)
    commit = commit_files(origin, {"train.py": TRAIN})
    base = store.read(store.fetch(there, "main"))
    ours = store.write(base, [Draft("ours", {"train.py": b"1"})], BOT)
    store.push(there, "tc-migrate/smtc", ours, expected=None)
    assert store.head(there, "tc-migrate/smtc") == ours
    human = commit_files(origin, {"train.py": b"a person's"}, branch="tc-migrate/smtc")
    again = store.write(base, [Draft("again", {"train.py": b"2"})], BOT)
    for expected in (None, ours, commit):
        with pytest.raises(BranchMoved, match="has moved since"):
            store.push(there, "tc-migrate/smtc", again, expected=expected)
    assert store.head(there, "tc-migrate/smtc") == human
    store.push(there, "tc-migrate/smtc", again, expected=human)  # another history: forced, under the lease
    assert store.head(there, "tc-migrate/smtc") == again
    store.push(there, "tc-migrate/smtc", again, expected=again)


# --- limits -----------------------------------------------------------------------------------------------------------


def test_a_branch_is_deleted_only_where_it_was_seen(origin: Path, store: Store) -> None:
    there = remote(origin)
    old = commit_files(origin, {"train.py": TRAIN})
    tip = commit_files(origin, {"train.py": b"a person's"}, branch="tc-migrate/smtc")
    store.fetch(there, "main")
    with pytest.raises(BranchMoved, match="has moved since"):
        store.delete(there, "tc-migrate/smtc", expected=old)
    assert store.head(there, "tc-migrate/smtc") == tip
    store.delete(there, "tc-migrate/smtc", expected=tip)
    assert store.head(there, "tc-migrate/smtc") is None


def test_what_is_beyond_the_limits_is_left_out_with_a_reason(origin: Path, tmp_path: Path) -> None:
    store = Store(tmp_path / "small", SMALL)
    files = {"a.py": b"x" * 101, "b.py": b"x" * 100, "c.ipynb": b"x" * 201, "d.ipynb": b"x" * 151, "e.py": b"",
             "f.py": b"x" * 90, "g.py": b""}  # fmt: skip
    contents = store.read(store.fetch(remote(origin), commit_files(origin, files) and "main"))
    assert sorted(contents.files) == ["b.py", "e.py", "f.py"]
    many = "the repository has more than 3 scripts, or 0.244 KiB of them"
    assert contents.skipped == {"a.py": "larger than 0.0977 KiB", "c.ipynb": "larger than 0.195 KiB",
                                "d.ipynb": many, "g.py": many}  # fmt: skip
    with pytest.raises(GitError, match=r"a\.py: larger than"):
        store.read_file(contents.commit, "a.py")


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="only Linux limits what another process writes")
def test_a_repository_that_is_too_large_is_not_fetched(origin: Path, tmp_path: Path) -> None:
    commit_files(origin, {"data.bin": os.urandom(3_000_000)})
    store = Store(tmp_path / "small", Limits(fetch_bytes=1_000_000))
    with pytest.raises(GitError, match="git fetch: brings more than is allowed"):
        store.fetch(remote(origin), "main")


def test_one_store_serves_many_fetches(origin: Path, store: Store) -> None:
    first = commit_files(origin, {"train.py": b"1"})
    assert store.fetch(remote(origin), "main") == first
    second = commit_files(origin, {"train.py": b"2"})
    again = Store(store.folder)
    assert again.fetch(remote(origin), "main") == second
    assert [again.read(each).files["train.py"].data for each in (first, second)] == [b"1", b"2"]
