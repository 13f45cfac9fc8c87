"""Tells where a script was when it crashed, or when its time was over, and what it had done by then.

The keeper of the run (`keeper.py`) sends SIGUSR2 to every process that has a `where-<pid>.txt`. Python's faulthandler
writes the stack there at once, even from inside a loop in C; then the process writes what was observed and ends.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
from pathlib import Path
from typing import Any

from . import place

files: list[Any] = []
"""Open files of stacks, kept open: faulthandler writes to their numbers."""


def install(results: str) -> None:
    """Be ready for a crash or the end of time, in this process and in those forked from it."""

    def watch() -> None:
        file = (Path(results) / f"where-{os.getpid()}.txt").open("w", encoding="utf-8")
        files.append(file)
        file.write(f"place {place.own_place()}\n")
        file.flush()
        faulthandler.enable(file, all_threads=False)
        signal.signal(signal.SIGUSR2, finish_now)
        faulthandler.register(signal.SIGUSR2, file, all_threads=False, chain=True)

    watch()
    os.register_at_fork(after_in_child=watch)


def finish_now(*arguments: Any) -> None:
    """Write what was observed so far, and end."""
    try:
        observe = sys.modules.get("tc_migrate_child.observe")
        if observe is not None:
            observe.finish(complete=False)
        sys.stdout.flush()
    finally:
        os._exit(1)
