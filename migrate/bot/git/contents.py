"""What a commit holds, as far as the bot reads it: scripts by name, and why some are left out."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from migrate.discover import SKIPPED_FOLDERS

_MODES = ("100644", "100755")
_ODD = re.compile(r"[\x00-\x1f\x7f]")


@dataclass(frozen=True)
class Limits:
    """What one repository may cost. A file beyond them is left out with a reason, never half read."""

    fetch_bytes: int = 500 * 1024 * 1024
    list_bytes: int = 64 * 1024 * 1024
    """Of the list of all files of a commit."""
    script_bytes: int = 256 * 1024
    """LibCST takes 20 seconds for 256 KiB of dense code."""
    notebook_bytes: int = 4 * 1024 * 1024
    files: int = 5_000
    total_bytes: int = 64 * 1024 * 1024
    seconds: float = 120.0
    """For one command."""


@dataclass(frozen=True)
class File:
    """A regular file of a commit. Its text is what `migrate.files.decode` makes of `data`."""

    path: str
    """`/` between the parts; bytes that are not UTF-8 as `os.fsdecode` gives them."""
    mode: str
    """`100644` or `100755`."""
    data: bytes


@dataclass(frozen=True)
class Contents:
    """The scripts of one commit."""

    commit: str
    files: Mapping[str, File]
    skipped: Mapping[str, str]
    """By path, why a script was left out."""


@dataclass(frozen=True)
class Entry:
    """One line of `git ls-tree`: a file that may be read."""

    mode: str
    id: str
    size: int
    path: str


def is_script(path: str) -> bool:
    """Whether a file is one that is looked for below a folder: not hidden, not in somebody's environment."""
    *folders, name = path.split("/")
    if not name.endswith((".py", ".ipynb")) or name.startswith("."):
        return False
    return not any(folder.startswith(".") or folder in SKIPPED_FOLDERS for folder in folders)


def parse_listing(listing: bytes) -> Iterator[Entry]:
    """The files that `git ls-tree -r -z -l` has listed, submodules and all."""
    for line in listing.split(b"\0"):
        about, _, path = line.partition(b"\t")
        if path:
            mode, _, id, size = about.decode("ascii").split()
            yield Entry(mode, id, int(size) if size.isdigit() else 0, os.fsdecode(path))


def choose(
    entries: Iterable[Entry], limits: Limits, wanted: Callable[[str], bool] = is_script
) -> tuple[list[Entry], dict[str, str]]:
    """The files to read, and by path why others that are wanted are not."""
    chosen: list[Entry] = []
    skipped: dict[str, str] = {}
    total = 0
    for entry in entries:
        if not wanted(entry.path):
            continue
        reason = _reason(entry, limits)
        if not reason and (len(chosen) == limits.files or total + entry.size > limits.total_bytes):
            reason = f"the repository has more than {limits.files} scripts, or {_size(limits.total_bytes)} of them"
        if reason:
            skipped[entry.path] = reason
        else:
            chosen.append(entry)
            total += entry.size
    return chosen, skipped


def _reason(entry: Entry, limits: Limits) -> str:
    if entry.mode not in _MODES:
        return "a link" if entry.mode == "120000" else "not a regular file"
    parts = entry.path.split("/")
    if _ODD.search(entry.path) or any(part in ("", ".", "..") or part.lower() == ".git" for part in parts):
        return "its name is none that a file of a project has"
    largest = limits.notebook_bytes if entry.path.endswith(".ipynb") else limits.script_bytes
    return f"larger than {_size(largest)}" if entry.size > largest else ""


def _size(number: int) -> str:
    return f"{number / 1024 / 1024:.3g} MiB" if number >= 1024 * 1024 else f"{number / 1024:.3g} KiB"
