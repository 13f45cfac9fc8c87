"""What a run says in words: notes, edits to review, counts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from migrate.findings import Effort, Finding, findings
from migrate.migration import Migration
from migrate.render.tally import Counts, Tally
from migrate.unseen import visible

EFFORTS = {
    Effort.AUTOMATIC: "edited, does what the original did",
    Effort.REVIEW: "edited, read the line",
    Effort.CHECK: "not edited: look and decide; minutes",
    Effort.CHANGE: "not edited: change the place by hand; hours",
    Effort.REDESIGN: "not edited: find another design; days",
}
"""What each effort means, in the reports."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def list_remarks(migration: Migration) -> list[Finding]:
    """What a person should read of a migration: its notes and its edits to review, by line."""
    return [finding for finding in findings(migration) if finding.effort is not Effort.AUTOMATIC]


def in_one_line(name: str) -> str:
    r"""A file's name, in which what would end the line or act on a terminal is spelt as in Python: `a\nb.py`."""
    return visible(_CONTROL.sub(lambda match: match[0].encode("unicode_escape").decode(), name))


def remark_lines(name: str, remarks: Iterable[Finding]) -> Iterator[str]:
    """`name:line: kind RULE: message`, as compilers say it, and the advice below it; `name:cell 3 [In 7]:line: ...`."""
    shown = in_one_line(name)
    for remark in remarks:
        yield f"{shown}:{remark.where}: {remark.kind} {remark.rule}: {remark.message}"
        if remark.advice:
            yield f"    {remark.advice}"


def count(migrations: Sequence[Migration]) -> Counts:
    """The numbers of a run."""
    tally = Tally()
    for migration in migrations:
        tally.add(migration)
    return tally.counts


def closing_line(counts: Counts, migrated: str = "migrated") -> str:
    """`2 files migrated, 1 unchanged; 31 edits (4 to review), 3 notes (1 error)`."""
    outcomes = (
        (counts.migrated, migrated),
        (counts.unchanged, "unchanged"),
        (counts.refused, "refused"),
        (counts.skipped, "skipped"),
        (counts.failed, "failed"),
    )
    parts = [(number, word) for number, word in outcomes if number]
    if not parts:
        return "no Python file or notebook found"
    (number, word), *others = parts
    files = ", ".join([f"{_plural(number, 'file')} {word}", *(f"{number} {word}" for number, word in others)])
    work = []
    if counts.edits:
        work.append(_plural(counts.edits, "edit") + (f" ({counts.review} to review)" if counts.review else ""))
    if counts.notes:
        grave = [(counts.errors, "error"), (counts.warnings, "warning")]
        inside = ", ".join(_plural(number, word) for number, word in grave if number)
        work.append(_plural(counts.notes, "note") + (f" ({inside})" if inside else ""))
    return "; ".join(filter(None, (files, ", ".join(work))))


def _plural(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
