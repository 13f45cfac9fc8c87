"""Doing again what a forge could not do now: as late as it asks, no more often than makes sense, and not for ever."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from migrate.bot.git.store import BranchMoved
from migrate.forge.faults import ForgeError, RateLimited, Unavailable
from migrate.migration import MigrateError

T = TypeVar("T")
_MOST = 3
"""Attempts at what fails by no limit."""


class Patience:
    """Waits for a forge, and says so. What is done again has to end the same when it is repeated."""

    def __init__(
        self,
        longest: float,
        tell: Callable[[str], None],
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`longest`: seconds to wait in all; `tell` is given a line before each wait."""
        self._left, self._tell, self._sleep, self._clock = longest, tell, sleep, clock

    def do(self, work: Callable[[], T]) -> T:
        """What `work` gives, at the last attempt. Raises what it raises then."""
        failed = 0
        while True:
            try:
                return work()
            except (BranchMoved, Unavailable) as error:
                failed += 1
                if failed == _MOST:
                    raise
                if isinstance(error, Unavailable):
                    self._wait(error)
            except RateLimited as error:
                self._wait(error)

    def _wait(self, error: ForgeError) -> None:
        seconds = error.wait or 0.0
        until = time.strftime("%H:%M:%S UTC", time.gmtime(self._clock() + seconds))
        if seconds > self._left:
            raise MigrateError(f"{error}; try again after {until}") from error
        self._left -= seconds
        self._tell(f"{error}; waiting until {until}")
        self._sleep(seconds)
