"""Edits and notes of a migration as one list, each with the work it leaves to a person."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from codemods.kit.rules import Change, Note, Place, Safety, Severity
from migrate.migration import Migration


class Effort(Enum):
    """The work that one finding leaves to a person, least first. docs/reports.md says why these."""

    NOTHING = "nothing"
    """Only said: the script runs and trains the same."""
    AUTOMATIC = "automatic"
    """Edited, and the migrated line does what the original did."""
    REVIEW = "review"
    """Edited; a person reads the line in the diff. Minutes."""
    CHECK = "check"
    """Not edited: a person looks and decides, often to leave it. Minutes."""
    CHANGE = "change"
    """Not edited, and the script does not run or train the same until a person rewrites the place. Hours."""
    REDESIGN = "redesign"
    """Not edited, and what replaces it has to be designed: own CUDA kernels, a library that splits the model. Days."""


MANUAL = (Effort.CHECK, Effort.CHANGE, Effort.REDESIGN)
"""What a person does by hand, least first."""
_REDESIGN = frozenset({"TC901", "TC911", "TC912"})
_BY_SEVERITY = {Severity.INFO: Effort.NOTHING, Severity.WARNING: Effort.CHECK, Severity.ERROR: Effort.CHANGE}


@dataclass(frozen=True)
class Finding:
    """One edit that was made, or one note."""

    rule: str
    line: int
    """1-based line in the source."""
    kind: str
    """`exact` or `review` for an edit; `info`, `warning` or `error` for a note."""
    effort: Effort
    message: str
    advice: str = ""
    document: str = ""
    codemod: str = ""
    evidence: tuple[str, ...] = ()
    place: Place | None = None
    """In a notebook."""

    @property
    def where(self) -> str:
        """The line, in a notebook the cell and the line in it, as they stand behind a path: `12`, `cell 3 [In 7]:5`."""
        return str(self.place) if self.place is not None else str(self.line)

    @property
    def edited(self) -> bool:
        """Whether it is an edit."""
        return self.kind in (Safety.EXACT.value, Safety.REVIEW.value)


def findings(migration: Migration) -> list[Finding]:
    """The edits and notes of a migration by line, what is said twice of a line once."""
    found = [*map(_of_change, migration.changes), *map(_of_note, migration.notes)]
    if not found:
        return found  # as for most files of a run
    return sorted(dict.fromkeys(found), key=lambda finding: (finding.line, finding.rule))


def _of_change(change: Change) -> Finding:
    effort = Effort.AUTOMATIC if change.safety is Safety.EXACT else Effort.REVIEW
    return Finding(
        change.rule,
        change.line,
        change.safety.value,
        effort,
        one_line(change.message),
        codemod=change.codemod,
        evidence=change.evidence,
        place=change.place,
    )


def _of_note(note: Note) -> Finding:
    return Finding(
        note.rule,
        note.line,
        note.severity.value,
        Effort.REDESIGN if note.rule in _REDESIGN else _BY_SEVERITY[note.severity],
        one_line(note.message),
        one_line(note.advice),
        note.document,
        note.codemod,
        note.evidence,
        note.place,
    )


def one_line(text: str) -> str:
    """A message without line breaks: reports keep one finding on one line."""
    return " ".join(text.split())
