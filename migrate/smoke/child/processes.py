"""The processes that a script has started: which they are, what memory they hold, and their end. Read from /proc."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterable

PAGE = os.sysconf("SC_PAGE_SIZE")
PATIENCE = 5.0
"""Seconds in which killed processes are waited for. One that hangs in the kernel cannot be waited for."""


def descendants(ancestor: int) -> list[int]:
    """The processes below `ancestor`, those that have ended and were not waited for left out."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                with open(f"/proc/{name}/stat", "rb") as file:
                    # "PID (NAME) STATE PARENT ...", and the name may have blanks and parentheses.
                    state, parent = file.read().rpartition(b")")[2].split()[:2]
                if state not in (b"Z", b"X"):
                    children.setdefault(int(parent), []).append(int(name))
    found, waiting = [], [ancestor]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def memory(processes: Iterable[int], limit: int) -> int:
    """Bytes that the processes hold together.

    The sum of their resident sets, which counts what they share once for each. That is cheap; only when it passes
    `limit` is the exact sum read, in which shared pages are divided among their users: it walks every page.
    """
    processes = list(processes)
    resident = sum(resident_set(process) for process in processes)
    return resident if resident <= limit else sum(proportional_set(process) for process in processes)


def resident_set(process: int) -> int:
    """Bytes of a process that are in memory; 0 when it has ended."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/statm", "rb") as file:
        return int(file.read().split()[1]) * PAGE
    return 0


def proportional_set(process: int) -> int:
    """Bytes of a process, of shared pages only its part. Where the kernel does not tell: its resident set."""
    with contextlib.suppress(OSError), open(f"/proc/{process}/smaps_rollup", "rb") as file:
        for line in file:
            if line.startswith(b"Pss:"):
                return int(line.split()[1]) << 10
    return resident_set(process)


def end_descendants() -> None:
    """Kill every process below this one, and wait for all of them.

    In rounds, since one that is just being forked is seen in the next. The first process of a namespace can do better:
    -1 is all others at one time, so that none can fork in between.
    """
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if os.getpid() == 1:
            with contextlib.suppress(ProcessLookupError):
                os.kill(-1, signal.SIGKILL)
        running = descendants(os.getpid())
        for process in running:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not running:
            return
        time.sleep(0.005)
