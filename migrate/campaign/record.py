"""What is known of one repository of a campaign."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from migrate.batch.digests import digest
from migrate.campaign.sources import Source


class Stage(Enum):
    """How far a repository has come."""

    QUEUED = "queued"
    ANALYSED = "analysed"
    PUSHED = "pushed"
    """Its branch is there."""
    PR = "pr"
    """Its pull request is open."""
    MERGED = "merged"
    CLOSED = "closed"
    EDITED = "edited"
    """A person has gone on with it: it is not touched any more."""
    ERROR = "error"


class Result(Enum):
    """What the analysis has found."""

    UNKNOWN = ""
    CLEAN = "clean"
    CHANGES = "changes"
    SKIPPED = "skipped"


@dataclass(frozen=True)
class Record:
    """One repository as it was last seen."""

    source: Source
    stage: Stage = Stage.QUEUED
    result: Result = Result.UNKNOWN
    reason: str = ""
    """Why it was skipped, what failed, or why no more was done."""
    error: str = ""
    """The kind of failure: one of `ERRORS`."""
    retryable: bool = False
    base: str = ""
    """The branch that was migrated; `commit` is where it was."""
    commit: str = ""
    tool: str = ""
    """The version of tc-migrate."""
    options: str = ""
    """A digest of all that was asked for."""
    changes: str = ""
    """A digest of the edits."""
    branch: str = ""
    tip: str = ""
    """Where our branch was put."""
    proposed: str = ""
    """By what the branch or the pull request was made: `fingerprint` of then."""
    number: int | None = None
    """Of the pull request."""
    url: str = ""
    counts: dict[str, int] = field(default_factory=dict)
    """As `render.tally.Counts` has them."""
    attempts: int = 0
    """How often it was begun since it was last finished."""
    seconds: float = 0.0
    """What the analysis took."""
    changed: float = 0.0
    """When this was noted, in seconds since 1970."""

    @property
    def fingerprint(self) -> str:
        """What the last analysis was of, and how it was made."""
        return digest(self.base, self.commit, self.tool, self.options).hex()

    def failed(self, kind: str, reason: str, *, retryable: bool) -> Record:
        """The same, with a failure."""
        return replace(self, stage=Stage.ERROR, error=kind, reason=reason, retryable=retryable)

    def reached(self, stage: Stage, reason: str = "", **known: Any) -> Record:
        """The same, a step on, without a failure."""
        return replace(self, stage=stage, reason=reason, error="", retryable=False, **known)
