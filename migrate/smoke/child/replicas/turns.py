"""Says which rank may run: one runs Python at a time, and several execute graphs.

A rank that comes to a gate keeps its turn until its graph has been compiled, or found among those that were, so that
the next one finds it too. With a collective in its graph it waits before that until every other rank has come to a gate
as well: XLA ends the process when a collective is waited for longer than ten seconds, and one rank may evaluate alone
for minutes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

POLL, LONGEST = 0.001, 0.03
"""Seconds after which a waiting rank looks again, at first and later: XLA does not tell when it has compiled."""


class State(Enum):
    """What a rank is doing."""

    PYTHON = "python"
    """It runs Python, or wants to."""
    MEETING = "meeting"
    """It is about to execute a graph with a collective, and waits for the others to come to a gate."""
    EXECUTING = "executing"
    ENDED = "ended"


@dataclass(eq=False)
class Rank:
    """One rank: a thread with a device of its own."""

    number: int
    thread: int = 0
    device: str = ""
    state: State = State.PYTHON
    ends_step: bool = False
    """Whether the gate it is at executes all that is pending, as a mark does; a read executes a part."""
    pending: bool = False
    """Whether it has put a collective into its graph since its last mark."""
    call: str = ""
    """What it called at its last gate."""
    site: str = ""
    """The script's line that did."""
    inside: bool = False
    """Whether it is in a gate: what is called there passes."""
    saved: list[Any] = field(default_factory=list)
    """What it had when another one took its turn (`belongings`)."""


class Turns:
    """The ranks of a process and whose turn it is."""

    def __init__(
        self, count: int, lookups: Callable[[], int], save: Callable[[], list[Any]], load: Callable[[list[Any]], None]
    ) -> None:
        """`lookups` tells how many graphs were compiled or found; `save` and `load` exchange what is a rank's."""
        # A rank begins with what the process has that launches it.
        self.ranks = [Rank(number, saved=save()) for number in range(count)]
        self.main = Rank(-1, threading.get_ident())
        self.owner: Rank | None = None
        self.loaded = self.main
        self.lookups, self.save, self.load = lookups, save, load
        self.at_start = self.seen = 0
        """Graphs looked up when the owner's call began, and when its last one ended."""
        self.moves = 0
        """How often any rank changed its state."""
        self.condition = threading.Condition()

    def current(self) -> Rank | None:
        """The rank that this thread works for: its own, or the owner's for autograd's and loaders' threads."""
        thread = threading.get_ident()
        if thread == self.main.thread:
            return None
        return next((rank for rank in self.ranks if rank.thread == thread), self.owner)

    def free_for(self, rank: Rank) -> bool:
        """Whether a rank may take the turn: nobody has it, or who has it is executing a graph that is known."""
        owner = self.owner
        if owner is None or owner is rank:
            return True
        return owner.state is State.EXECUTING and self.lookups() > self.at_start

    def move(self, rank: Rank, state: State) -> None:
        """Give a rank another state, and wake the others."""
        rank.state = state
        self.moves += 1
        self.condition.notify_all()

    def wait_until(self, ready: Callable[[], bool]) -> None:
        """Wait with the lock given up."""
        pause = POLL
        while not ready():
            if not self.condition.wait(pause):
                pause = min(LONGEST, pause * 1.1)

    def take(self, rank: Rank) -> None:
        """Wait until a rank may run Python, and let it."""
        with self.condition:
            self.wait_until(lambda: self.free_for(rank))
            self.owner, self.seen = rank, self.lookups()
            self.exchange(rank)
            self.move(rank, State.PYTHON)

    def exchange(self, rank: Rank) -> None:
        """Put in place what is a rank's."""
        if self.loaded is not rank:
            self.loaded.saved = self.save()
            self.loaded = rank
            self.load(rank.saved)

    def enter(self, rank: Rank) -> None:
        """A rank is at a gate: wait until it may execute."""
        with self.condition:
            if rank.pending:
                if self.owner is rank:
                    self.owner = None
                self.move(rank, State.MEETING)
                self.wait_until(lambda: self.met(rank))
            self.wait_until(lambda: self.free_for(rank))
            self.owner, self.at_start = rank, self.lookups()
            self.move(rank, State.EXECUTING)

    def met(self, rank: Rank) -> bool:
        """Whether the others are where a collective of this rank can meet theirs.

        A mark waits for the reads of the others, which seldom have a collective in them.
        """
        for other in self.ranks:
            if other is rank or other.state is State.ENDED:
                continue
            alone = other.state is State.EXECUTING and not other.pending
            if alone or other.state is State.PYTHON or (rank.ends_step and not other.ends_step):
                return False
        return True

    def come_back(self, rank: Rank) -> None:
        """A rank has executed: it goes on when it may."""
        with self.condition:
            self.move(rank, State.PYTHON)
        self.take(rank)

    def end(self, rank: Rank) -> None:
        """A rank will do nothing more."""
        with self.condition:
            if self.owner is rank:
                self.owner = None
            self.move(rank, State.ENDED)

    def leave(self) -> None:
        """All ranks have ended: the thread that launched them goes on."""
        with self.condition:
            self.exchange(self.main)

    @property
    def ended(self) -> bool:
        """Whether all have."""
        return all(rank.state is State.ENDED for rank in self.ranks)
