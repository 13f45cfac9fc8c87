"""What every report is made from: one file of a run, and the run itself. Plain values, nothing that still works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from migrate.migration import Migration
from migrate.render.diff import Hunk, file_header


@dataclass(frozen=True)
class Run:
    """What is the same for all files of a run."""

    version: str
    """Of tc-migrate."""
    target: str
    written: bool = False
    """The files have been changed; else the report says what would be."""


@dataclass(frozen=True)
class Entry:
    """One file of a run."""

    migration: Migration
    name: str
    """Its path relative to the current folder, with `/` between the parts, as in a patch."""
    result: str = ""
    """The text to show or write: the migration's result, annotated if asked."""
    hunks: Sequence[Hunk] = field(default_factory=tuple)

    @property
    def patch(self) -> str:
        """The unified diff, or nothing when the file stays as it is."""
        if not self.hunks:
            return ""
        return file_header(self.name) + "".join(f"{hunk.header}\n{hunk.body}" for hunk in self.hunks)


class Report(Protocol):
    """A report that is written while the run goes on."""

    def add(self, entry: Entry) -> str:
        """Take in one file; what can be written of it now."""

    def close(self) -> Iterator[str]:
        """The rest, when all files are in."""
