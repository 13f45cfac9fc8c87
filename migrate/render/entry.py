"""What every report is made from: one file of a run, and the run itself. Plain values, nothing that still works."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from migrate.migration import Migration
from migrate.notebooks.views import cell_views
from migrate.render.diff import Hunk, file_header, find_hunks, notebook_header


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

    @cached_property
    def cells(self) -> list[Entry]:
        """The cells of a notebook that change or that something is said of, each as a file called `cell 3 [In 7]`."""
        return [
            Entry(view, title, view.result, find_hunks(view.source, view.result, cell=title))
            for title, view in cell_views(self.migration, self.result or self.migration.result)
        ]

    @property
    def header(self) -> str:
        """What stands above the hunks that are shown."""
        return notebook_header(self.name) if self.cells else file_header(self.name)

    @property
    def shown(self) -> Sequence[Hunk]:
        """The hunks as a person reads them: those of a notebook cell by cell."""
        return [hunk for cell in self.cells for hunk in cell.hunks] if self.cells else self.hunks

    @property
    def patch(self) -> str:
        """The unified diff, or nothing when the file stays as it is. Of a notebook, the diffs of its cells."""
        if not self.shown:
            return ""
        return self.header + "".join(f"{hunk.header}\n{hunk.body}" for hunk in self.shown)


class Report(Protocol):
    """A report that is written while the run goes on."""

    def add(self, entry: Entry) -> str:
        """Take in one file; what can be written of it now."""

    def close(self) -> Iterator[str]:
        """The rest, when all files are in."""
