"""A notebook, migrated: its code cells as one script, each Python file that a cell writes as another."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from posixpath import normpath
from typing import TypeVar

from codemods.kit.links import ALONE, Links
from codemods.kit.rules import Change, Note
from codemods.kit.summary import Summary
from codemods.kit.targets import Target
from migrate.linking import Linked
from migrate.migration import Migration, Status
from migrate.notebooks.cells import Cell, NotANotebook, is_notebook
from migrate.notebooks.joined import join, open_notebook, place_of
from migrate.notebooks.magics import written_script
from migrate.pipeline import Prepared
from migrate.registry import ALL, Selection

_BOM = "\ufeff"
_LINE = re.compile(r"\(line (\d+)\)")
_ITSELF = "notebook.ipynb"
"""What the notebook is called among the scripts that it writes."""
_Found = TypeVar("_Found", Change, Note)
Where = Callable[[int], tuple[Cell, int]]
"""From a line of a script to a cell and the line in it."""


def prepare(path: str, text: str) -> Prepared | PreparedNotebook:
    """A script or a notebook, parsed."""
    return PreparedNotebook(text) if is_notebook(path) else Prepared(text)


class _Written:
    """A script that a cell writes to a file: another program than the notebook."""

    def __init__(self, cell: Cell, path: str, text: str) -> None:
        self.cell, self.name = cell, normpath(path)
        self.above = cell.source[: len(cell.source) - len(text)]
        self.prepared = Prepared(text)

    def migrate(self, target: Target, select: Selection, links: Links) -> _Part:
        """Migrate it. What does not parse stays: the notebook says so where it concerns CUDA."""
        done = self.prepared.migrate(path=self.name, target=target, select=select, links=links)
        if done.status is Status.SKIPPED:
            done = replace(done, status=Status.UNCHANGED, reason="")
        lines = self.above.count("\n")
        return _Part(done, {self.cell.number: self.above + done.result}, lambda line: (self.cell, line + lines))


@dataclass(frozen=True)
class _Part:
    """A script of a notebook, migrated, with what became of the cells it is from."""

    migration: Migration
    sources: dict[int, str]
    where: Where


class PreparedNotebook:
    """A notebook that is parsed once: for its summary, and for its migration. It has the face of `Prepared`."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.reason = ""
        try:
            self._notebook = open_notebook(source.removeprefix(_BOM))
            self._joined = join(self._notebook)
        except NotANotebook as error:
            self.reason = str(error)
            return
        self.reason = self._said(self._prepared.reason, self._joined.place)

    @cached_property
    def _prepared(self) -> Prepared:
        return Prepared(self._joined.script)

    def summarise(self) -> Summary | None:
        """What it tells the other files of its project; None when it cannot be parsed."""
        return None if self.reason else self._prepared.summarise()

    def migrate(self, *, path: str = "-", target: Target, select: Selection = ALL, links: Links = ALONE) -> Migration:
        """Migrate it. Whatever happens is in the result; nothing is raised."""
        left = Migration(path, target.name, Status.UNCHANGED, self.source, self.source)
        if self.reason:
            return replace(left, status=Status.SKIPPED, reason=self.reason)
        parts: list[_Part] = []
        for part in self._parts(path, target, select, links):
            if part.migration.status in (Status.SKIPPED, Status.FAILED):
                reason = self._said(part.migration.reason, part.where)
                return replace(left, status=part.migration.status, reason=reason, traceback=part.migration.traceback)
            parts.append(part)
        sources = {number: source for part in parts for number, source in part.sources.items()}
        result = self._with_bom(self._notebook.with_sources(sources))
        trouble = damage(self.source, result) if result != self.source else ""
        if trouble:
            return replace(left, status=Status.FAILED, reason=trouble)
        return self._told(left, result, parts)

    def _parts(self, path: str, target: Target, select: Selection, links: Links) -> Iterator[_Part]:
        written = [_Written(cell, *found) for cell in self._notebook.code if (found := written_script(cell.source))]
        linked = self._linked(written)
        yield self._whole(path, target, select, linked.links(_ITSELF) if linked and links == ALONE else links)
        for script in written:
            yield script.migrate(target, select, linked.links(script.name) if linked else ALONE)

    def _linked(self, written: list[_Written]) -> Linked | None:
        """What the scripts that the notebook writes say to each other and to it; None when there is none."""
        parts = {_ITSELF: self._prepared, **{script.name: script.prepared for script in written}}
        summaries = {name: found for name, part in parts.items() if (found := part.summarise()) is not None}
        return Linked(summaries) if len(summaries) == len(parts) > 1 else None

    def _whole(self, path: str, target: Target, select: Selection, links: Links) -> _Part:
        """Its own code."""
        joined, prepared = self._joined, self._prepared
        for timed in (True, False):
            if not timed:
                joined = join(self._notebook, timed=False)
                prepared = Prepared(joined.script)
            done = prepared.migrate(path=path, target=target, select=select, links=links)
            sources = joined.taken_apart(done.result)
            if sources is not None:
                return _Part(done, sources, joined.place)
        failed = replace(done, status=Status.FAILED, reason="an edit would move code to another cell, or drop a magic")
        return _Part(failed, {}, joined.place)

    def _told(self, left: Migration, result: str, parts: list[_Part]) -> Migration:
        """The result with what is said of all parts, each at its place."""
        changes: list[Change] = []
        notes: list[Note] = []
        for part in parts:
            changes += [self._placed(part, each) for each in part.migration.changes]
            notes += [self._placed(part, each) for each in part.migration.notes]
        status = parts[0].migration.status
        if result != self.source:
            status = Status.MIGRATED
        elif status is Status.MIGRATED:  # nothing but blank lines
            status = Status.UNCHANGED
        return replace(
            left,
            status=status,
            result=result,
            changes=tuple(sorted(changes, key=_order)),
            notes=tuple(sorted(notes, key=_order)),
            reason=parts[0].migration.reason if status is not Status.MIGRATED else "",
        )

    def _placed(self, part: _Part, found: _Found) -> _Found:
        """What is said of a line of a script, said of a line of the file and its cell."""
        cell, inside = part.where(found.line)
        return replace(found, line=self._notebook.line(cell, inside), place=place_of(cell, inside))

    def _said(self, reason: str, where: Where) -> str:
        """A reason with its line as a line of a cell."""

        def told(match: re.Match[str]) -> str:
            return f"({place_of(*where(int(match[1])))})"

        return _LINE.sub(told, reason)

    def _with_bom(self, text: str) -> str:
        return _BOM + text if self.source.startswith(_BOM) else text


def damage(before: str, after: str) -> str:
    """What else than sources of cells differs between two texts of a notebook; empty when nothing does."""
    # It takes as long to import as LibCST: only a notebook that changes pays for it.
    from nbformat.validator import isvalid

    old, new = (json.loads(text.removeprefix(_BOM)) for text in (before, after))
    # Asked first: the validator puts in what is missing.
    if isvalid(json.loads(before.removeprefix(_BOM))) and not isvalid(json.loads(after.removeprefix(_BOM))):
        return "the result is no valid notebook"
    for cell in (*old["cells"], *new["cells"]):
        del cell["source"]
    return "" if old == new else "the result differs in more than the sources of its cells"


def _order(found: Change | Note) -> tuple[int, int, int, str]:
    place = found.place
    return (place.cell if place else 0, place.line if place else 0, found.line, found.rule)
