"""A campaign in rows: what each repository has come to, in the same words in every report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

STANDINGS = {
    "pr": "a pull request is open",
    "merged": "the pull request was merged",
    "closed": "the pull request was closed",
    "edited": "somebody has gone on with the branch: it is theirs",
    "pushed": "the branch is pushed, without a pull request",
    "changes": "there are edits to propose",
    "clean": "nothing to migrate",
    "skipped": "not looked at",
    "queued": "not yet looked at",
    "error": "something failed",
}
"""What may have become of a repository, those first that somebody may want to act on."""


@dataclass(frozen=True)
class CampaignRow:
    """One repository."""

    name: str
    kind: str
    """`local`, `url` or `forge`."""
    standing: str
    """One of `STANDINGS`."""
    reason: str = ""
    error: str = ""
    """The kind of failure."""
    retryable: bool = False
    base: str = ""
    commit: str = ""
    branch: str = ""
    number: int | None = None
    url: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    """As `Counts` has them, and `unread`: scripts that could not be read."""
    seconds: float = 0.0

    @property
    def work(self) -> str:
        """`12 edits (4 to review) in 3 files, 2 notes`."""
        count = self.counts.get
        parts = []
        if count("edits"):
            review = f" ({count('review')} to review)" if count("review") else ""
            parts.append(f"{_plural(count('edits', 0), 'edit')}{review} in {_plural(count('migrated', 0), 'file')}")
        if count("notes"):
            grave = f" ({_plural(count('errors', 0), 'error')})" if count("errors") else ""
            parts.append(f"{_plural(count('notes', 0), 'note')}{grave}")
        failed = count("failed", 0) + count("skipped", 0) + count("unread", 0)
        if failed:
            parts.append(f"{_plural(failed, 'file')} not read")
        return ", ".join(parts)

    @property
    def link(self) -> str:
        """`#12`, for the pull request."""
        return f"#{self.number}" if self.number is not None else ""


@dataclass(frozen=True)
class CampaignReport:
    """The whole of it."""

    name: str
    version: str
    """Of tc-migrate."""
    rows: Sequence[CampaignRow]

    @property
    def counts(self) -> dict[str, int]:
        """Repositories by what has become of them, in the order of `STANDINGS`."""
        found = Counter(row.standing for row in self.rows)
        return {standing: found[standing] for standing in STANDINGS}

    @property
    def sorted(self) -> list[CampaignRow]:
        """Those first that somebody may want to act on."""
        order = list(STANDINGS)
        return sorted(self.rows, key=lambda row: order.index(row.standing))

    @property
    def closing_line(self) -> str:
        """`200 repositories: 3 pr, 120 changes, 70 clean, 7 error; 1,234 edits`."""
        numbers = ", ".join(f"{number} {standing}" for standing, number in self.counts.items() if number)
        edits = sum(row.counts.get("edits", 0) for row in self.rows)
        total = f"{len(self.rows)} repositor{'y' if len(self.rows) == 1 else 'ies'}"
        work = f"; {_plural(edits, 'edit')}" if edits else ""
        return f"{total}{': ' if numbers else ''}{numbers}{work}"


def _plural(number: int, word: str) -> str:
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"
