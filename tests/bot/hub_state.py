"""What the hub knows besides its repositories."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.bot.hub_hook import Hook
from tests.bot.repositories import run

BOT = "tc-migrate[bot]"


class Said(str):
    """A comment: equal to every other of the same words."""

    by: str = BOT
    at: float = 0.0


def say(body: str, by: str = BOT) -> Said:
    """A comment of this moment."""
    said = Said(body)
    said.by, said.at = by, time.time()
    return said


class Refusal(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, message: str, errors: tuple[dict[str, str], ...] = ()) -> None:
        super().__init__(message)
        self.status, self.message, self.errors = status, message, list(errors)


@dataclass
class State:
    """All that is kept besides the repositories."""

    root: Path
    url: str
    repositories: list[str] = field(default_factory=list)
    installations: dict[int, str] = field(default_factory=dict)
    """By number, the account: `owner/`. One that is not here is of all repositories."""
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    """By repository, what is not as in the example: `archived`, `topics`."""
    pulls: dict[int, dict[str, Any]] = field(default_factory=dict)
    comments: dict[int, list[Said]] = field(default_factory=dict)
    reviews: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    checks: dict[int, dict[str, Any]] = field(default_factory=dict)
    reactions: dict[int, list[str]] = field(default_factory=dict)
    """By comment, in their order."""
    gone: set[int] = field(default_factory=set)
    """Comments that were deleted."""
    statuses: dict[str, str] = field(default_factory=dict)
    """By commit: `success`, `failure`, `pending`."""
    permissions: dict[str, str] = field(default_factory=dict)
    files: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    registration: dict[str, Any] = field(default_factory=dict)
    """What the App is, where it is not as in the example."""
    hook: Hook = field(default_factory=Hook)

    def tip(self, repository: str, branch: str) -> str:
        """The commit of a branch; nothing without one."""
        folder = self.root / f"{repository}.git"
        if not folder.exists():
            return ""
        done = run(folder, "rev-parse", "--verify", "--quiet", f"refs/heads/{branch}")
        return done.stdout.decode().strip()

    def notice_push(self) -> None:
        """As the forge does: a pull request knows its head, and is closed with its branch."""
        for pull in self.pulls.values():
            tip = self.tip(pull["head_repository"], pull["head"])
            if pull["state"] == "open":
                pull.update({"sha": tip} if tip else {"state": "closed"})
