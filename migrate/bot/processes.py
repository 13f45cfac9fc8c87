"""Several processes that belong together: started as one, started again when one of them dies, ended as one.

All are forked from one that does nothing else. So what they share is loaded once, secrets reach them without passing
through a command line or an environment, and whoever is started again begins as clean as the first did.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import wait
from multiprocessing.context import ForkProcess
from types import FrameType

from migrate.bot.child import end_with_parent

_LOG = logging.getLogger("tc-migrate.processes")
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@dataclass(frozen=True)
class Task:
    """What one process does for as long as it lives. It has to end in order at SIGTERM and SIGINT."""

    name: str
    run: Callable[[], None]


@dataclass(frozen=True)
class Pauses:
    """Times, in seconds."""

    pause: float = 1
    """Before a process that died is started again; twice as long each further time."""
    longest: float = 60
    """Such a pause at most. A process that lived longer than this begins with the short pause again."""
    grace: float = 20
    """For all to end in order; after that they are killed."""


def keep_running(tasks: Sequence[Task], pauses: Pauses | None = None) -> None:
    """Each task in a process of its own, until SIGTERM or Ctrl-C. In the main thread of a process with no other."""
    pauses = pauses or Pauses()
    places = [_Place(task, pauses) for task in tasks]
    with _Bell() as bell:
        while not bell.rung:
            for place in places:
                place.start_when_due(bell)
            waiting = [place.due for place in places if place.process is None]
            running = [place.process.sentinel for place in places if place.process is not None]
            wait([bell.reader, *running], max(min(waiting) - time.monotonic(), 0) if waiting else None)
            if not bell.rung:
                for place in places:
                    place.note_end()
        _end([place.process for place in places if place.process is not None], pauses.grace)


class _Bell:
    """Wakes the one that waits when a signal has come."""

    def __init__(self) -> None:
        self.rung = False
        self.reader, self._writer = os.pipe()
        os.set_blocking(self._writer, False)
        self._owner = os.getpid()

    def __enter__(self) -> _Bell:
        self._before = [signal.signal(number, self._ring) for number in _SIGNALS]
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in zip(_SIGNALS, self._before, strict=True):
            signal.signal(number, handler)
        self.close()

    def close(self) -> None:
        os.close(self.reader)
        os.close(self._writer)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if os.getpid() != self._owner:  # a child that has not come so far as to have its own handlers
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
            return
        self.rung = True
        with suppress(BlockingIOError):
            os.write(self._writer, b".")


@dataclass
class _Place:
    """Where a process of a task is, or is to be."""

    task: Task
    pauses: Pauses
    process: ForkProcess | None = None
    started: float = 0.0
    due: float = 0.0
    """When to start the next one."""
    _pause: float = field(init=False)

    def __post_init__(self) -> None:
        self._pause = self.pauses.pause

    def start_when_due(self, bell: _Bell) -> None:
        if self.process is not None or time.monotonic() < self.due:
            return
        self.started = time.monotonic()
        context = multiprocessing.get_context("fork")
        self.process = context.Process(target=_run, args=(self.task, bell, os.getpid()), name=self.task.name)
        self.process.start()
        _LOG.info("%s is process %d", self.task.name, self.process.pid)

    def note_end(self) -> None:
        """See whether the process has ended, and say so."""
        if self.process is None or self.process.is_alive():
            return
        if time.monotonic() - self.started > self.pauses.longest:
            self._pause = self.pauses.pause
        _LOG.error("%s %s; started again in %g s", self.task.name, _tell_end(self.process.exitcode), self._pause)
        self.process.close()
        self.process = None
        self.due = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, self.pauses.longest)


def _run(task: Task, bell: _Bell, parent: int) -> None:
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    bell.close()
    end_with_parent(parent, signal.SIGTERM)
    try:
        task.run()
    except Exception:
        _LOG.exception("%s failed", task.name)  # said here, where no secret gets through


def _end(processes: Sequence[ForkProcess], grace: float) -> None:
    for process in processes:
        process.terminate()
    end = time.monotonic() + grace
    for process in processes:
        process.join(max(end - time.monotonic(), 0))
        if process.is_alive():
            _LOG.error("%s does not end and is killed", process.name)
            process.kill()
            process.join()


def _tell_end(code: int | None) -> str:
    if code is not None and code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return "ended"
