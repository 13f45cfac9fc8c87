"""A run over the repositories of a campaign: analyses beside each other, writes one after the other, each in a child.

What is known of a repository is noted when its work is done, so a run may be ended anywhere: the next goes on with what
is left, and a write that was done but not noted is found done. Nothing that one repository does ends the run.
"""

from __future__ import annotations

import heapq
import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path

from migrate.bot.child import Bounds, Child
from migrate.bot.jobs import Claim, Job, Outcome, Postpone
from migrate.campaign.analysis import analyse
from migrate.campaign.order import Order
from migrate.campaign.outcome import after_analysis, after_error, after_write, is_to_write
from migrate.campaign.proposal import Note, clear, make_folder, read_note
from migrate.campaign.record import Record
from migrate.campaign.sources import Kind
from migrate.campaign.state import State
from migrate.campaign.trouble import tell_error
from migrate.campaign.writing import bring_about
from migrate.registry import codemods

_TRIES = 3
"""Attempts of one run at what fails by no fault of the repository's."""
_LATER = 5.0
"""Seconds before the second; twice as many before the third."""
_LOST = 5
"""How often a repository is begun without an end before it is taken for the reason."""
_AHEAD = 16
"""Proposals that may wait for being written: each keeps a copy of its repository."""
Tell = Callable[[int, Record], None]


@dataclass
class _Task:
    """Work on one repository."""

    number: int
    record: Record
    folder: Path = Path()
    """Of this attempt."""
    tries: int = 1
    child: Child | None = None
    end: float = 0.0
    """When it has taken too long."""
    writes: int = 0
    """How often a write was begun."""
    is_reserved: bool = False
    """Whether it counts as a pull request that is opened."""


class Run:
    """The run. It has to be the only thing that this process does: it forks."""

    def __init__(
        self,
        order: Order,
        state: State,
        tell: Tell,
        say: Callable[[str], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        """`tell`: given each repository that is done with; `say`: a line for a person, now and then."""
        self.order, self.state, self._tell, self._say, self._clock = order, state, tell, say, clock
        self._waiting: list[tuple[float, int, _Task]] = []
        """By when it may be begun."""
        self._analysing: list[_Task] = []
        self._to_write: deque[_Task] = deque()
        self._writing: _Task | None = None
        self._write_after = 0.0
        self._left = order.wait
        """Seconds that may still be waited for the forge's limits; below 0 nothing is written any more."""

    def go(self, numbers: Iterable[int]) -> None:
        """Work on these repositories until all is done that can be."""
        codemods()  # loaded once, not in every child
        clear(self.order.folder / "work")
        self.state.begin_run()
        for number, record in self.state.records(list(numbers)).items():
            self._queue(_Task(number, record))
        try:
            while self._waiting or self._analysing or self._to_write or self._writing:
                self._begin_analyses()
                self._begin_write()
                self._wait()
        finally:
            for task in self._running():
                if task.child is not None:
                    task.child.kill()
            clear(self.order.folder / "work")
        self.state.end_run()

    # --- beginning --------------------------------------------------------------------------------------------------

    def _queue(self, task: _Task, after: float = 0.0) -> None:
        heapq.heappush(self._waiting, (after, task.number, task))

    def _begin_analyses(self) -> None:
        while len(self._analysing) < self.order.jobs and len(self._to_write) < _AHEAD:
            if not self._waiting or self._waiting[0][0] > self._clock():
                return
            _, _, task = heapq.heappop(self._waiting)
            if self.state.begin(task.number) > _LOST:
                self._fail(task, "lost", "each time that it was worked on the run ended", retryable=False)
                continue
            task.folder = make_folder(self.order.folder / "work")
            self._analysing.append(task)
            self._start(task, "analyse", partial(analyse, self.order, task.number, task.record, task.folder))

    def _begin_write(self) -> None:
        while self._to_write and self._writing is None and (self._left < 0 or self._clock() >= self._write_after):
            task = self._to_write.popleft()
            if self._left < 0:
                self._fail(task, "limit", "the forge takes no more for now", retryable=True)
                continue
            if self.order.opens(task.record.source) and task.record.number is None and not task.is_reserved:
                task.is_reserved = self.state.reserve(1, self.order.most)
                if not task.is_reserved:
                    self._finish(task, replace(task.record, reason="left for another run by --max-prs"))
                    continue
            self._writing = task
            self._start(task, "write", partial(bring_about, self.order, task.record, task.folder))
            task.writes += 1

    def _start(self, task: _Task, kind: str, work: Callable[[], Note]) -> None:
        def leave_note(claim: Claim) -> Outcome:
            work().write(task.folder)
            return Outcome()

        name = task.record.source.text
        bounds = Bounds(seconds=self.order.seconds)
        task.child = Child(leave_note, Claim(task.number, Job(kind, name, name), task.tries, ""), bounds)
        task.child.start()
        task.end = self._clock() + bounds.seconds

    # --- ending -----------------------------------------------------------------------------------------------------

    def _running(self) -> list[_Task]:
        return [*self._analysing, *([self._writing] if self._writing is not None else [])]

    def _wait(self) -> None:
        """Until something is done, or something else may be begun."""
        running = self._running()
        times = [task.end for task in running]
        if self._waiting and len(self._analysing) < self.order.jobs and len(self._to_write) < _AHEAD:
            times.append(self._waiting[0][0])
        if self._to_write and self._writing is None:
            times.append(self._write_after)
        if not times:
            return
        children = [task.child for task in running if task.child is not None]
        wait([sign for child in children for sign in child.signs], max(min(times) - self._clock(), 0.0))
        for task in running:
            if task.child is not None and (task.child.wait(0) or self._clock() >= task.end):
                self._take(task, task.child)

    def _take(self, task: _Task, child: Child) -> None:
        """What a child has left behind."""
        is_write = task is self._writing
        if is_write:
            self._writing = None
            self._write_after = self._clock() + self.order.pause * (task.record.source.kind is Kind.FORGE)
        else:
            self._analysing.remove(task)
        note: Note | Exception = self._read(task, child)
        if isinstance(note, Postpone):
            self._postpone(task, note, is_write)
        elif isinstance(note, Exception):
            self._fail(task, "died", str(note), retryable=False)
        elif note.what == "error" and note.known["retryable"] and task.tries < _TRIES:
            self._try_again(task, note)
        elif is_write:
            self._release(task, note)
            self._finish(task, after_write(task.record, note))
        else:
            self._go_on(task, note)

    def _read(self, task: _Task, child: Child) -> Note | Exception:
        if not child.wait(0):
            child.kill()
            return TimeoutError(f"it took longer than {self.order.seconds:g} seconds")
        done = child.result()
        if isinstance(done, Exception):
            return done
        try:
            return read_note(task.folder)
        except (OSError, ValueError) as error:
            return error

    def _go_on(self, task: _Task, note: Note) -> None:
        """From an analysis to the write, when there is to be one."""
        is_next = is_to_write(self.order, task.record, note)
        task.record = after_analysis(task.record, note)
        if not is_next:
            self._finish(task, task.record)
            return
        self.state.write(task.number, replace(task.record, attempts=1))
        self._to_write.append(task)

    def _try_again(self, task: _Task, note: Note) -> None:
        self.state.write(task.number, after_error(task.record, note))
        task.tries += 1
        self._clear(task)
        self._queue(task, self._clock() + _LATER * 2 ** (task.tries - 2))

    def _postpone(self, task: _Task, error: Postpone, is_write: bool) -> None:
        """The forge wants no more for a time."""
        until = time.strftime("%H:%M:%S UTC", time.gmtime(error.until))
        self._left -= max(error.until - max(self._clock(), self._write_after), 0.0)
        self._write_after = max(error.until, self._write_after)
        if is_write:
            self._to_write.appendleft(task)
        elif self._left < 0:
            self._fail(task, "limit", error.reason, retryable=True)
        else:
            self.state.write(task.number, replace(task.record, attempts=0))
            self._clear(task)
            self._queue(task, error.until)
        self._say(f"{error.reason}; " + (f"no more before {until}" if self._left < 0 else f"waiting until {until}"))

    def _fail(self, task: _Task, kind: str, reason: str, *, retryable: bool) -> None:
        self._finish(task, after_error(task.record, tell_error(kind, reason, retryable=retryable)))

    def _release(self, task: _Task, note: Note) -> None:
        """Count a pull request no longer that was there already. An attempt before this one may have opened it."""
        if task.is_reserved and not note.opened and note.what != "error" and task.writes == 1:
            self.state.reserve(-1, None)

    def _finish(self, task: _Task, record: Record) -> None:
        self.state.write(task.number, record)
        self._clear(task)
        self._tell(task.number, record)

    def _clear(self, task: _Task) -> None:
        if task.folder != Path():
            clear(task.folder)
