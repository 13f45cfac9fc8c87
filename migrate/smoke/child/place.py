"""Says which of several training processes this one is, so that each starts its random numbers from a seed of its own.

Processes that nobody seeds draw other numbers each, and their weights differ until one's are broadcast. With one seed
for all of them a broadcast that is missing would not show.
"""

from __future__ import annotations

import functools
import os
from multiprocessing.process import BaseProcess
from typing import Any

PROCESS = "TC_MIGRATE_PROCESS"
"""Environment variable of a process that multiprocessing started: which one it is."""
NAMES = ("TC_MIGRATE_RANK", "RANK", PROCESS)
"""Where the place is told: by `launch.py`, by a launcher like torchrun, by multiprocessing."""


def own_place() -> int:
    """The place of this process among those that train; 0 for the only one."""
    return next((int(value) for name in NAMES if (value := os.environ.get(name, "")).isdigit()), 0)


def install() -> None:
    """Tell every process that multiprocessing starts its place: the first number it is given, else how many came
    before it."""
    start = BaseProcess.start

    @functools.wraps(start)
    def start_in_place(self: Any) -> None:
        given = (value for value in self._args if type(value) is int)
        own = os.environ.get(PROCESS)
        os.environ[PROCESS] = str(next(given, self._identity[-1] - 1))
        try:
            start(self)
        finally:
            del os.environ[PROCESS]
            if own is not None:
                os.environ[PROCESS] = own

    BaseProcess.start = start_in_place  # type: ignore[method-assign]
