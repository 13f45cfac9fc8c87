"""What a run says in words: notes, edits to review, counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from codemods.kit.rules import Change, Note, Safety, Severity
from migrate.migration import Migration, Status


@dataclass(frozen=True)
class Remark:
    """One thing a person should read: a note, or an edit that is to be reviewed."""

    line: int
    """1-based line in the source."""
    kind: str
    """`error`, `warning`, `info`, or `review` for an edit."""
    rule: str
    message: str
    advice: str


@dataclass(frozen=True)
class Counts:
    """A run in numbers."""

    files: int = 0
    migrated: int = 0
    unchanged: int = 0
    refused: int = 0
    skipped: int = 0
    failed: int = 0
    edits: int = 0
    review: int = 0
    """Of the edits, those a person should read."""
    notes: int = 0
    errors: int = 0
    """Of the notes; `warnings` likewise."""
    warnings: int = 0


def list_remarks(migration: Migration) -> list[Remark]:
    """The notes of a migration and its edits to review, by line."""
    remarks = [_remark_of_note(note) for note in migration.notes]
    remarks += [_remark_of_change(change) for change in migration.changes if change.safety is Safety.REVIEW]
    return sorted(dict.fromkeys(remarks), key=lambda remark: (remark.line, remark.rule))


def remark_lines(name: str, remarks: Iterable[Remark]) -> Iterator[str]:
    """`name:line: kind RULE: message`, as compilers say it, and the advice below it."""
    for remark in remarks:
        yield f"{name}:{remark.line}: {remark.kind} {remark.rule}: {remark.message}"
        if remark.advice:
            yield f"    {remark.advice}"


def count(migrations: Sequence[Migration]) -> Counts:
    """The numbers of a run."""
    status = Counter(migration.status for migration in migrations)
    changes = [change for migration in migrations for change in migration.changes]
    notes = [note for migration in migrations for note in migration.notes]
    return Counts(
        files=len(migrations),
        migrated=status[Status.MIGRATED],
        unchanged=status[Status.UNCHANGED],
        refused=status[Status.REFUSED],
        skipped=status[Status.SKIPPED],
        failed=status[Status.FAILED],
        edits=len(changes),
        review=sum(change.safety is Safety.REVIEW for change in changes),
        notes=len(notes),
        errors=sum(note.severity is Severity.ERROR for note in notes),
        warnings=sum(note.severity is Severity.WARNING for note in notes),
    )


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
        return "no Python file found"
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


def _remark_of_note(note: Note) -> Remark:
    return Remark(note.line, note.severity.value, note.rule, _one_line(note.message), _one_line(note.advice))


def _remark_of_change(change: Change) -> Remark:
    return Remark(change.line, "review", change.rule, _one_line(change.message), "")


def _one_line(text: str) -> str:
    return " ".join(text.split())
