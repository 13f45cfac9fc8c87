"""git, asked about files: which of them hold a text that git could not give back."""

from __future__ import annotations

import os
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from migrate.migration import MigrateError

_AT_ONCE = 500
"""Files named in one call of git: systems limit how long a command line may be."""


def unsaved(paths: Iterable[Path]) -> list[Path]:
    """Those of the files whose text is neither committed nor staged: changed since, untracked, or ignored.

    A file outside a repository is never one of them: there was no git to begin with. Raises MigrateError when a file
    is in a repository and git cannot say.
    """
    repositories: dict[Path, list[Path]] = defaultdict(list)
    for path in paths:
        top = _repository(Path(os.path.realpath(path)))
        if top is not None:
            repositories[top].append(path)
    found: list[Path] = []
    for top, members in repositories.items():
        for start in range(0, len(members), _AT_ONCE):
            found += _unsaved_in(top, members[start : start + _AT_ONCE])
    return found


def is_tracked(path: Path) -> bool:
    """Whether git keeps a file; no where there is no git to say so."""
    top = _repository(Path(os.path.realpath(path)))
    words = ["git", "-c", "core.fsmonitor=false", "--literal-pathspecs", "-C", str(top), "ls-files", "--error-unmatch"]
    words += ["--", os.path.realpath(path)]
    try:
        return top is not None and subprocess.run(words, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def _repository(path: Path) -> Path | None:
    """The top of the work tree that a file is in."""
    return next((folder for folder in path.parents if (folder / ".git").exists()), None)


def _unsaved_in(top: Path, paths: Sequence[Path]) -> list[Path]:
    named = {os.path.relpath(os.path.realpath(path), top): path for path in paths}
    # -m: other than in the index; -o without an exclusion: not in the index, ignored or not.
    words = ["git", "--literal-pathspecs", "-C", str(top), "ls-files", "-z", "-m", "-o", "--", *named]
    try:
        done = subprocess.run(words, capture_output=True, env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"}, check=False)
    except OSError as error:
        raise MigrateError(f"{top} is a git repository, but git cannot be run: {error.strerror}") from error
    if done.returncode:
        said = os.fsdecode(done.stderr).strip().splitlines() or [f"exit code {done.returncode}"]
        raise MigrateError(f"{top} is a git repository, but git cannot say what is committed: {said[0]}")
    return [named[name] for name in dict.fromkeys(os.fsdecode(done.stdout).split("\0")) if name in named]
