"""Real repositories on disk to fetch from: honest ones, and ones made to run a program."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": text for who in ("AUTHOR", "COMMITTER")
       for what, text in (("NAME", "Someone"), ("EMAIL", "someone@example.org"), ("DATE", "1700000000 +0200"))},
}  # fmt: skip
"""Whoever made the repository: with hooks and all that git runs by default."""


def git(folder: Path, *words: str, given: bytes = b"", **variables: str) -> bytes:
    """What git says; it must succeed."""
    done = run(folder, *words, given=given, **variables)
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    return done.stdout.removesuffix(b"\n")


def run(folder: Path, *words: str, given: bytes = b"", **variables: str) -> subprocess.CompletedProcess[bytes]:
    """git, whatever comes of it."""
    return subprocess.run(
        ["git", *words], cwd=folder, env=ENVIRONMENT | variables, input=given, capture_output=True, timeout=60
    )


def make_bare(folder: Path) -> Path:
    """An empty bare repository."""
    folder.mkdir(parents=True)
    git(folder, "init", "--bare", "--quiet", "--initial-branch=main")
    return folder


def commit_tree(repository: Path, entries: list[tuple[str, bytes | str, bytes]], branch: str = "main") -> str:
    """Commit files to a bare repository, by mode, path and content; a `40000` has a tree's id instead of a content.

    Written by hand: names that git itself would refuse are taken.
    """
    tree = make_tree(repository, entries)
    commit = git(repository, "commit-tree", "-m", "made", tree).decode()
    git(repository, "update-ref", f"refs/heads/{branch}", commit)
    return commit


def make_tree(repository: Path, entries: list[tuple[str, bytes | str, bytes]]) -> str:
    """A tree of these entries, sorted or not, as they are given."""
    content = b""
    for mode, name, data in entries:
        is_id = mode in ("40000", "160000")
        id = data.decode() if is_id else git(repository, "hash-object", "-w", "--stdin", given=data).decode()
        content += mode.encode() + b" " + os.fsencode(name) + b"\0" + bytes.fromhex(id)
    return git(repository, "hash-object", "-t", "tree", "--literally", "-w", "--stdin", given=content).decode()


def commit_files(repository: Path, files: dict[str, bytes], branch: str = "main") -> str:
    """Commit honest files to a bare repository, in folders if need be."""
    index = {"GIT_INDEX_FILE": str(repository / "made.index")}
    for path, data in files.items():
        id = git(repository, "hash-object", "-w", "--stdin", given=data).decode()
        git(repository, "update-index", "--add", "--cacheinfo", f"100644,{id},{path}", **index)
    tree = git(repository, "write-tree", **index).decode()
    commit = git(repository, "commit-tree", "-m", "made", tree).decode()
    git(repository, "update-ref", f"refs/heads/{branch}", commit)
    (repository / "made.index").unlink()
    return commit


def listing(repository: Path, commit: str) -> dict[bytes, bytes]:
    """Every entry of a commit by its path: mode, type and id."""
    lines = git(repository, "ls-tree", "-r", "-z", commit).split(b"\0")
    return {path: about for about, _, path in (line.partition(b"\t") for line in lines) if path}
