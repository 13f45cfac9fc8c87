"""What the bot is asked to do, and what became of it: values that the events, the queue and the workers share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

Details = Mapping[str, str | int | bool | None]
"""What a job needs to know beside its repository: small, and written as JSON."""


@dataclass(frozen=True)
class Job:
    """One thing to do in one repository."""

    kind: str
    """`push`, `installed`, `check`, `closed`, or `command`."""
    repository: str
    """`owner/name`."""
    key: str
    """A job that waits is replaced by one with the same key: ten pushes to a branch are one job."""
    installation: int | None = None
    """Of the App, by which a token for the repository is had."""
    sender: str = ""
    """Whose doing it is. For a command, who has to have the permission, asked for when the job runs."""
    details: Details = field(default_factory=dict)
    urgency: int = 1
    """0 goes before 1, and 1 before 2."""

    @property
    def act(self) -> str:
        """What a person did, once: a comment, or a press of a check's button. Empty for what may be looked at again."""
        if self.kind == "command":
            return f"comment {self.details.get('comment')}"
        return f"press {self.details.get('run')}" if self.details.get("button") and self.details.get("run") else ""


@dataclass(frozen=True)
class Asked:
    """What a delivery asks for."""

    jobs: tuple[Job, ...] = ()
    left: frozenset[str] = frozenset()
    """Repositories that the App is no longer in: what waits for them is dropped."""
    left_installation: int | None = None
    """An installation that is gone, with all its repositories."""


@dataclass(frozen=True)
class Outcome:
    """What a job that is done has to say."""

    note: str = ""
    """A line for the operator."""
    pull_request: str = ""
    """Its address, when there is one."""
    is_refused: bool = False
    """A command by somebody who has not the right."""


class Postpone(Exception):
    """Raised by the work of a job that cannot go on now, such as at a rate limit. It is no failed attempt."""

    def __init__(self, until: float, reason: str, is_limit: bool = False) -> None:
        super().__init__(until, reason, is_limit)
        self.until, self.reason, self.is_limit = until, reason, is_limit
        """Seconds since the epoch, why, and whether it is a limit of the whole installation."""


class GiveUp(Exception):
    """Raised by the work of a job that no second attempt will mend. The message says why."""


@dataclass(frozen=True)
class Claim:
    """A job that one worker holds for a time."""

    id: int
    job: Job
    attempt: int
    """1 the first time."""
    lease: str
    """Shows that it is still this worker's."""


Work = Callable[[Claim], Outcome]
"""Does a job. It may be done again after the worker died in the middle, so it has to end the same when repeated."""
