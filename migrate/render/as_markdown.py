"""A run as Markdown that fits into the comment of a pull request: what is left to do, what to review, the diffs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from migrate.findings import Effort, Finding, findings
from migrate.migration import Status
from migrate.render.certificates import Certificates, loop_rows
from migrate.render.entry import Entry, Run
from migrate.render.markdown import code, code_html, escape, fence, prose
from migrate.render.report import closing_line
from migrate.render.tally import Tally

SIZE = 60_000
"""Bytes of a report; GitHub takes comments of 65,536 characters, and a character may be several bytes."""
ROWS = 50
"""Rows of a table."""
_TITLES = {
    Effort.REDESIGN: "To design anew",
    Effort.CHANGE: "To change by hand",
    Effort.CHECK: "To check",
    Effort.REVIEW: "Edits to review",
}
_HEADINGS = "| where | rule | what | what to do |\n|---|---|---|---|\n"


class MarkdownReport:
    """Written at the end: what a person has to do stands first."""

    def __init__(self, run: Run, size: int = SIZE, most: int = ROWS) -> None:
        """`size`: bytes of the whole report; `most`: rows of a table."""
        self.run = run
        self.size = size
        self.most = most
        self.tally = Tally()
        self.certificates = Certificates()
        self.rows: dict[Effort, list[str]] = {effort: [] for effort in _TITLES}
        self.left = 0
        self.left_rows: list[str] = []
        """Files that were not migrated, with the reason."""
        self.diffs: list[str] = []
        self.kept = 0
        """Bytes of the diffs."""
        self.changed = 0
        self.room = size - 500
        """Bytes that are left; some are for what is always said."""

    def add(self, entry: Entry) -> str:
        """One file: its rows, and its diff while there may be room for it."""
        migration = entry.migration
        self.tally.add(migration)
        self.certificates.add(migration)
        if migration.status in (Status.REFUSED, Status.SKIPPED, Status.FAILED):
            self.left += 1
            if self.left <= self.most:
                reason = escape(migration.reason)
                self.left_rows.append(f"- {code(entry.name)} {migration.status.value}: {reason}\n")
        for finding in findings(migration):
            rows = self.rows.get(finding.effort)
            if rows is not None and len(rows) < self.most:
                rows.append(_row(entry, finding))
        if entry.hunks:
            self.changed += 1
            if self.kept < self.size:
                self.diffs.append(_diff(entry))
                self.kept += _size(self.diffs[-1])
        return ""

    def close(self) -> Iterator[str]:
        """The whole report, as much of each part as fits."""
        word = "migrated" if self.run.written else "would be migrated"
        yield f"## PyTorch/XLA migration for {escape(self.run.target)}\n\n"
        yield f"**{closing_line(self.tally.counts, word)}**\n"
        automatic, review, manual = self.tally.shares.percents
        if automatic + review + manual:
            yield "\n| automatic | to review | by hand |\n|---:|---:|---:|\n"
            yield f"| {automatic}% | {review}% | {manual}% |\n"
        yield from self._shown()
        yield from self._part(f"Files left as they are ({self.left})", "", self.left_rows, self.left)
        for effort, title in _TITLES.items():
            number = self.tally.efforts[effort]
            yield from self._part(f"{title} ({number})", _HEADINGS, self.rows[effort], number)
        yield from self._part("Diffs" if self.run.written else "Proposed diffs", "", self.diffs, self.changed)

    def _shown(self) -> Iterator[str]:
        """What was shown of each loop."""
        rows = [
            f"| {code(f'{loop.path}:{loop.line}')} | {kind} | {standing} | {escape(rest)} |\n"
            for loop, kind, standing, rest in loop_rows(self.certificates.telling)
        ]
        if self.certificates.line:
            yield f"\n{escape(self.certificates.line)}\n"
        heading = "| loop of the result | kind | standing | not simply shown |\n|---|---|---|---|\n"
        yield from self._part(f"What was shown ({len(rows)})", heading, rows[: self.most], len(rows))

    def _part(self, title: str, headings: str, rows: Sequence[str], number: int) -> Iterator[str]:
        """A heading and those of the rows that fit; how many of the `number` there are do not."""
        if not number:
            return
        self.room -= _size(title) + _size(headings) + 100
        shown = 0
        for row in rows:
            if self.room < _size(row):
                break
            if not shown:
                yield f"\n### {title}\n\n{headings}"
            self.room -= _size(row)
            shown += 1
            yield row
        if shown < number:
            what = "" if shown else f"{title}: "
            yield f"\n{what}{number - shown} more do not fit here.\n"


def _row(entry: Entry, finding: Finding) -> str:
    where = code(f"{entry.name}:{finding.where}")
    return f"| {where} | {finding.rule} | {prose(finding.message)} | {prose(finding.advice)} |\n"


def _diff(entry: Entry) -> str:
    edits = [finding for finding in findings(entry.migration) if finding.edited]
    review = sum(finding.effort is Effort.REVIEW for finding in edits)
    about = f"{len(edits)} edit{'s' * (len(edits) != 1)}" + (f", {review} to review" if review else "")
    summary = f"<summary>{code_html(entry.name)} ({about})</summary>"
    return f"<details>{summary}\n\n{fence(entry.patch, 'diff')}\n</details>\n"


def _size(text: str) -> int:
    return len(text.encode("utf-8", "replace"))
