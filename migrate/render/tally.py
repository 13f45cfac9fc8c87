"""A run in numbers, counted file by file so that no file has to be kept."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass

from migrate.findings import MANUAL, Effort, Finding, findings
from migrate.migration import Migration, Status


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


@dataclass(frozen=True)
class Shares:
    """How the places that concern CUDA divide: the three add up to 1 unless there is none."""

    automatic: float = 0.0
    review: float = 0.0
    manual: float = 0.0

    @property
    def percents(self) -> tuple[int, int, int]:
        """The three as whole numbers that add up to 100; what a person has to do is never rounded to nothing."""
        if not self.automatic + self.review + self.manual:
            return 0, 0, 0
        review, manual = (max(1, round(100 * share)) if share else 0 for share in (self.review, self.manual))
        return 100 - review - manual, review, manual


class Tally:
    """Counts what comes in."""

    def __init__(self) -> None:
        self.status: Counter[Status] = Counter()
        self.kinds: Counter[str] = Counter()
        self.efforts: Counter[Effort] = Counter()
        self.rules: Counter[tuple[str, str]] = Counter()
        """By rule and kind of finding."""
        self.by_rule: dict[str, Counter[Effort]] = defaultdict(Counter)

    def add(self, migration: Migration) -> None:
        """Count one file."""
        self.status[migration.status] += 1
        for change in migration.changes:
            self.kinds[change.safety.value] += 1
        for note in migration.notes:
            self.kinds[note.severity.value] += 1
        for finding in findings(migration):
            self.count(finding)

    def count(self, finding: Finding) -> None:
        """Count one finding."""
        self.efforts[finding.effort] += 1
        self.rules[finding.rule, finding.kind] += 1
        self.by_rule[finding.rule][finding.effort] += 1

    @property
    def counts(self) -> Counts:
        """The numbers so far."""
        return Counts(
            files=self.status.total(),
            migrated=self.status[Status.MIGRATED],
            unchanged=self.status[Status.UNCHANGED],
            refused=self.status[Status.REFUSED],
            skipped=self.status[Status.SKIPPED],
            failed=self.status[Status.FAILED],
            edits=self.kinds["exact"] + self.kinds["review"],
            review=self.kinds["review"],
            notes=self.kinds["info"] + self.kinds["warning"] + self.kinds["error"],
            errors=self.kinds["error"],
            warnings=self.kinds["warning"],
        )

    @property
    def shares(self) -> Shares:
        """How the places divide; what is only said counts for nothing."""
        automatic, review = self.efforts[Effort.AUTOMATIC], self.efforts[Effort.REVIEW]
        manual = sum(self.efforts[effort] for effort in MANUAL)
        total = automatic + review + manual
        return Shares(automatic / total, review / total, manual / total) if total else Shares()
