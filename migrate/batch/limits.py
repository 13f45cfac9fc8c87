"""What one file may cost: a limit in seconds of the processor on its work, and garbage collected between files only."""

from __future__ import annotations

import faulthandler
import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.process import BaseProcess

_PATIENCE = 4
"""Times the limit that the clock may show: on a busy machine the same files come to the same end."""
_GRACE = 5.0
"""Seconds from the limit to the end of a worker that does not come back from native code."""
_LEAST_MEMORY, _MOST_MEMORY = 1024**3, 4 * 1024**3
"""Bytes for a worker. A script of 20,000 lines takes half of the least."""
_COLLECT_AFTER = 2_000
"""Lines. A script's facts refer to each other, so only the collector frees them, at some 15 kB a line."""


class Overtime(BaseException):
    """The file takes too long. No Exception: a codemod's error is caught and told otherwise."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raises Overtime in the block when it takes more of the processor, or `_PATIENCE` times that by the clock. Without
    signals (Windows, a thread) there is no limit."""
    if seconds <= 0 or not hasattr(signal, "SIGPROF") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: object) -> None:
        raise Overtime

    clocks = (
        (signal.SIGPROF, signal.ITIMER_PROF, seconds),
        (signal.SIGALRM, signal.ITIMER_REAL, seconds * _PATIENCE),
    )
    before = [signal.signal(number, ring) for number, _, _ in clocks]
    try:
        for _, timer, most in clocks:
            signal.setitimer(timer, most)
        yield
    finally:
        for (number, timer, _), handler in zip(clocks, before, strict=True):
            signal.setitimer(timer, 0)
            signal.signal(number, handler)


@contextmanager
def mortal(seconds: float) -> Iterator[None]:
    """The whole process ends when the block takes longer: for a worker, in which native code may never come back.

    Its parent sees a worker that is gone, and finds out which file it was.
    """
    if seconds <= 0 or not _is_worker():
        yield
        return
    with open(os.devnull, "w") as nowhere:
        faulthandler.dump_traceback_later(seconds * _PATIENCE + _GRACE, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


def share_of_memory(workers: int) -> int:
    """Bytes of memory that each of so many workers may take: together half of what the machine has, but enough."""
    try:
        whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return _MOST_MEMORY  # Windows
    return min(max(whole // 2 // workers, _LEAST_MEMORY), _MOST_MEMORY)


def become_worker(memory: int) -> None:
    """Make this process a worker: it takes no more memory than so many bytes, leaves Ctrl-C to its parent, and ends
    when that ends."""
    import multiprocessing

    from migrate.registry import codemods

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _limit_memory(memory)
    codemods()  # paid once, before the first task
    parent = multiprocessing.parent_process()
    if parent is not None:
        # A worker waits for tasks on a pipe whose other end it holds itself: it would wait for ever.
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    gc.freeze()  # what is loaded stays: it is not gone through at every collection
    _WORKERS.add(os.getpid())


def _limit_memory(size: int) -> None:
    """LibCST's parser ends the process when there is no more. What it says then is no message for a person, nor is
    the image of its memory. Where there are no such limits (Windows, macOS) the system decides."""
    try:
        import resource
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    with suppress(OSError, ValueError):
        if soft == resource.RLIM_INFINITY or soft > size:
            resource.setrlimit(resource.RLIMIT_DATA, (size, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    os.close(nowhere)


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)


_WORKERS: set[int] = set()


def _is_worker() -> bool:
    return os.getpid() in _WORKERS


@contextmanager
def tidy() -> Iterator[Callable[[int], None]]:
    """Collect no garbage while a script is worked on. Call what is given after each, with its lines."""
    runs = gc.isenabled()
    gc.disable()
    lines = 0

    def collect(more: int) -> None:
        nonlocal lines
        lines += more
        if lines >= _COLLECT_AFTER:
            gc.collect()
            lines = 0

    try:
        yield collect
    finally:
        if runs:
            gc.enable()
