"""What the forge says of its things, as far as it is used."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class RepositoryFacts:
    """What a repository is now."""

    default_branch: str
    is_fork: bool
    is_archived: bool
    is_disabled: bool
    is_template: bool
    topics: frozenset[str]


@dataclass(frozen=True)
class PullRequest:
    """A pull request."""

    number: int
    is_open: bool
    is_merged: bool
    base: str
    """The branch it is to be merged into."""
    body: str
    labels: frozenset[str]
    branch: str = ""
    """Which it is of; none for a branch of another repository, such as a fork."""
    head: str = ""
    """The commit it proposes; of one that is merged or closed, what it was then."""


@dataclass(frozen=True)
class Signature:
    """By whom a commit is, as the commit itself says: anybody can write anything there."""

    author: str
    committer: str
    """E-mail addresses."""


@dataclass(frozen=True)
class CheckRun:
    """The result of a check of one commit."""

    id: int
    external_id: str
    """Ours."""
    is_complete: bool
    annotations: int
    """How many it has."""


@dataclass(frozen=True)
class Remark:
    """A comment in a conversation, or a review of a head."""

    body: str
    commit: str = ""
    """Of a review: the head it was of."""
    author: str = ""
    """Who has an account no more is nobody."""
    written: datetime | None = None
    """Of a comment: when."""
