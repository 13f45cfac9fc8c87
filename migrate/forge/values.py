"""What the forge says of its things, as far as it is used."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PullRequest:
    """A pull request of a branch of the repository itself."""

    number: int
    is_open: bool
    is_merged: bool
    base: str
    """The branch it is to be merged into."""
    body: str
    labels: frozenset[str]


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
