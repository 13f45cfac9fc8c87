"""The loop of a worker process: claim a job, have it done by a child, say what became of it."""

from __future__ import annotations

import logging
import signal
import threading
import time
from contextlib import suppress
from types import FrameType

from migrate.bot.child import Bounds, Child
from migrate.bot.jobs import Claim, GiveUp, Outcome, Postpone, Work
from migrate.bot.queue import Queue

_LOG = logging.getLogger("tc-migrate.worker")


class Worker:
    """Does the jobs of a queue, one at a time. Any number of workers may do so beside each other.

    What is killed in the middle, worker or child, loses nothing: the job is done again when its lease has run out.
    """

    def __init__(self, queue: Queue, work: Work, bounds: Bounds | None = None, *, idle: float = 1, grace: float = 30):
        """`idle`: seconds between two looks at an empty queue; `grace`: seconds a job may go on after `stop`."""
        self.queue, self.work, self.bounds = queue, work, bounds or Bounds()
        self._idle, self._grace = idle, grace
        self._stopping = threading.Event()

    def run(self) -> None:
        """Until SIGTERM or Ctrl-C. In the main thread of a process that has no other, as it forks.

        Raises `sqlite3.Error` when the queue cannot be used; to start the worker again is then all there is to do.
        """
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._stop)
        while not self._stopping.is_set():
            if not self.run_one():
                self._stopping.wait(self._idle)
        self.queue.close()

    def run_one(self) -> bool:
        """Do the next job. False when there is none to do now."""
        claim = self.queue.claim()
        if claim is None:
            return False
        job = claim.job
        _LOG.info("job %d: %s of %s, attempt %d", claim.id, job.kind, job.repository, claim.attempt)
        self.queue.close()  # SQLite's connections do not survive a fork
        child = Child(self.work, claim, self.bounds)
        try:
            child.start()
            result = self._watch(child, claim)
        finally:
            with suppress(OSError):
                child.kill()
        if result is not None:
            self._report(claim, result)
        return True

    def stop(self) -> None:
        """Take no further job."""
        self._stopping.set()

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.stop()

    def _watch(self, child: Child, claim: Claim) -> Outcome | Exception | None:
        """What became of the work; None when the job is this worker's no more."""
        beat = self.queue.limits.lease / 4
        end, beaten = time.monotonic() + self.bounds.seconds, time.monotonic()
        stop_at = float("inf")
        while not child.wait(min(beat, 0.5)):
            now = time.monotonic()
            if self._stopping.is_set():
                stop_at = min(stop_at, now + self._grace)
            if now >= stop_at:
                child.kill()
                self.queue.release(claim)
                return None
            if now >= end:
                return RuntimeError(f"the job took longer than {self.bounds.seconds:.0f} seconds")
            if now - beaten >= beat:
                if not self.queue.extend(claim):
                    _LOG.warning("job %d is somebody else's: let go", claim.id)
                    return None
                beaten = now
        return child.result()

    def _report(self, claim: Claim, result: Outcome | Exception) -> None:
        queue = self.queue
        if isinstance(result, Outcome):
            kept = queue.finish(claim, result)
        elif isinstance(result, Postpone):
            kept = queue.postpone(claim, result.until, result.reason, is_limit=result.is_limit)
        else:
            kept = queue.fail(claim, str(result), final=isinstance(result, GiveUp))
        name = "done" if isinstance(result, Outcome) else type(result).__name__
        _LOG.info("job %d: %s%s", claim.id, name, "" if kept else ", but it is somebody else's by now")
