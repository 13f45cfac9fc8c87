"""Writes a second apart, whoever makes them: GitHub counts those of an installation, and not those of a process."""

from __future__ import annotations

import fcntl
import time
from contextlib import suppress
from pathlib import Path

_LONGEST = 60.0
"""Seconds: what is further ahead was written by another clock."""


class Pacer:
    """Gives each write its time. Those of one file share it, in however many processes."""

    def __init__(self, pause: float, file: Path | None = None) -> None:
        """`pause`: seconds between two writes; `file`: where the time of the last one is noted."""
        self._pause, self._file, self._last = pause, file, 0.0

    def wait(self) -> None:
        """Until it is this write's turn."""
        if self._pause > 0:
            time.sleep(max(self._reserve() - time.time(), 0.0))

    def _reserve(self) -> float:
        if self._file is None:
            self._last = self._after(self._last)
            return self._last
        with self._file.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            last = 0.0
            with suppress(ValueError):
                last = float(file.read(40))
            turn = self._after(last)
            file.truncate(0)
            file.write(f"{turn:.6f}")
        return turn

    def _after(self, last: float) -> float:
        now = time.time()
        return max(last + self._pause, now) if last < now + _LONGEST else now
