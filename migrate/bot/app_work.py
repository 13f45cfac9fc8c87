"""What a worker of the App does for a claim. It may be ended anywhere and done again: it ends the same."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from migrate.bot.app_config import AppConfig
from migrate.bot.app_jobs import do
from migrate.bot.failing import tell_owners
from migrate.bot.git.remote import GitError
from migrate.bot.git.store import BranchMoved
from migrate.bot.jobs import Claim, GiveUp, Outcome, Postpone
from migrate.bot.visit import Unwelcome, Visit
from migrate.forge.faults import Denied, ForgeError, Missing, RateLimited, Unavailable

__all__ = ["AppConfig", "AppWork"]

_TRIES = 3
"""At a branch that somebody else moves at the same time."""
_OUTAGE = 60.0
"""Seconds to wait for a forge in trouble, at least: a whole job is done again then."""
_UNREACHABLE = re.compile(
    r"returned error: 5\d\d|[Cc]ould not resolve|[Ff]ailed to connect|[Tt]imed out|Empty reply|reset by"
)
_FINAL = re.compile(r"\bfsck error\b|GH013|GH006|verified signatures|hook declined")
"""Of a commit with objects that git does not take, and of a branch that a rule of the repository protects."""
_FOLDER = "job-"
_LEFT_OVER = 3_600.0
"""Seconds after which nobody works in a folder any more: its job was killed."""


@dataclass(frozen=True)
class AppWork:
    """The work of a claim, as `migrate.bot.jobs.Work`."""

    config: AppConfig

    def __call__(self, claim: Claim) -> Outcome:
        """Do it. Raises Postpone, GiveUp, and for a failed attempt GitError or ForgeError."""
        for _ in range(_TRIES):
            with self._folder() as folder:
                visit = Visit(self.config, claim.job, folder)
                try:
                    return do(visit)
                except Unwelcome as error:
                    return Outcome(str(error))
                except BranchMoved:
                    continue
                except Exception as error:
                    judged = _judge(error)
                    is_last = claim.attempt >= self.config.attempts and not isinstance(judged, Postpone)
                    if is_last or isinstance(judged, GiveUp):
                        tell_owners(visit, judged)
                    raise judged from error
        raise Postpone(time.time() + _OUTAGE, "somebody else moves the branch all the time")

    @contextmanager
    def _folder(self) -> Iterator[Path]:
        """For one try, and deleted after it."""
        self.config.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for found in self.config.folder.glob(f"{_FOLDER}*"):
            if _age(found) > _LEFT_OVER:
                shutil.rmtree(found, ignore_errors=True)
        with TemporaryDirectory(dir=self.config.folder, prefix=_FOLDER, ignore_cleanup_errors=True) as folder:
            yield Path(folder)


def _age(folder: Path) -> float:
    try:
        return time.time() - folder.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _judge(error: Exception) -> Exception:
    """What to raise for what failed: it says whether and when it is worth trying again."""
    if isinstance(error, ForgeError):
        if isinstance(error, (Denied, Missing)):
            return GiveUp(str(error))
        if error.wait is None:
            return error
        wait = max(error.wait, _OUTAGE) if isinstance(error, Unavailable) else error.wait
        return Postpone(time.time() + wait, str(error), isinstance(error, RateLimited))
    if isinstance(error, GitError):
        if _FINAL.search(str(error)):
            return GiveUp(str(error))
        if _UNREACHABLE.search(str(error)):
            return Postpone(time.time() + _OUTAGE, str(error))
    return error
