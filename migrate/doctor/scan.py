"""One log, read block by block in constant memory: which known failures it shows, where, how often, on which ranks.

A block is looked at closely only where it has to be: the sieve says which phrases may stand in it, and the messages
around the longest word of such a phrase are read as text and compared with its pattern.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from migrate.doctor.failures import Clue, Sign
from migrate.doctor.pieces import AFTER, BEFORE, find_bounds, find_host, find_rank, find_stream, read_text, strip_prefix
from migrate.doctor.sieve import Probe, Sieve

LONGEST = 1 << 20
"""Bytes of a line that are held together; a longer one is read in parts."""
TAIL = 1 << 16
"""Bytes kept of the end of a log: how a job that stands still is told from one that goes on."""
TRACE = 1 << 14
"""Bytes kept from the beginning of the last traceback."""
MOST = 10_000
"""Times a failure is counted; then it is no longer looked for."""
MOST_RANKS = 4_096
SHOWN = 300
"""Characters kept of a message."""
_TRACEBACK = b"Traceback (most recent call last)"


@dataclass
class Sighting:
    """Where a log shows a failure."""

    line: int
    """Of the first time, from 1."""
    text: str
    hint: str = ""
    count: int = 0
    ranks: set[int] = field(default_factory=set)
    hosts: set[str] = field(default_factory=set)


class Scan:
    """What one log shows. `feed` it all blocks of the log, then `close` it."""

    def __init__(self, name: str) -> None:
        """`name`: as the user knows the log. It may name the host."""
        self.name = name
        self.host = find_host(name)
        self.sightings: dict[str, Sighting] = {}
        self.signs: dict[Sign, tuple[int, str]] = {}
        """With the line and the message that shows it first."""
        self.tail = b""
        self.trace = b""
        """From the last traceback on."""
        self.trace_line = 0
        self.lines = 0
        self.bytes = 0
        self._sieve = Sieve()
        self._rest = b""
        self._begun = 0
        """Bytes of the rest that have been looked at, and are kept for what stands before the next word."""
        self._counted: set[tuple[str, int]] = set()
        self._first: dict[str, int] = {}
        """Where in this block the failures are that were not seen before it."""

    def feed(self, data: bytes) -> None:
        """Take in the next bytes, of any number."""
        self.bytes += len(data)
        block = self._rest + data
        end = block.rfind(b"\n") + 1
        if end:
            self._look(block[:end], end)
            self._rest, self._begun = block[end:], 0
        else:
            self._rest = block
        if len(self._rest) > LONGEST:
            end = len(self._rest) - AFTER
            self._look(self._rest, end)
            self._rest, self._begun = self._rest[end - BEFORE :], BEFORE

    def close(self) -> None:
        """The log is at its end."""
        if self._rest[self._begun :]:
            self._look(self._rest, len(self._rest))
            self.lines += 1
        self._rest = b""
        self._sieve.forget()  # a job may have hundreds of logs, and each is kept until the diagnosis

    def _look(self, block: bytes, end: int) -> None:
        """Look at a block of whole lines, or at a part of a line: at what begins from `_begun` to `end`."""
        new = block[self._begun : end]
        hit = self._sieve.sift(block)
        if hit:
            self._look_closely(block, end, hit)
            self._sieve.drop(self._is_settled)
        self._follow_traceback(block, new, end)
        self.lines += new.count(b"\n")
        self.tail = (new if len(new) >= TAIL else self.tail + new)[-TAIL:]

    def _follow_traceback(self, block: bytes, new: bytes, end: int) -> None:
        last = block.rfind(_TRACEBACK, self._begun, end + len(_TRACEBACK) - 1)
        if last >= 0:
            start, _ = find_bounds(block, last)
            self.trace, self.trace_line = block[start : start + TRACE], self._line(block, start)
        elif 0 < len(self.trace) < TRACE:
            self.trace += new[: TRACE - len(self.trace)]

    def _look_closely(self, block: bytes, end: int, hit: Iterable[Probe]) -> None:
        lowered = block.lower()
        self._counted.clear()
        self._first.clear()
        for probe in hit:
            for start, stop in self._messages(lowered, probe.anchor, end):
                text = read_text(block[start:stop])
                for about, clue in probe.clues:
                    if not clue.regex.search(text):
                        continue
                    if isinstance(about, Sign):
                        self.signs.setdefault(about, (self._line(block, start), shown(text)))
                    else:
                        self._count(about, clue, block, start, text)

    def _messages(self, lowered: bytes, anchor: bytes, end: int) -> Iterator[tuple[int, int]]:
        last = end + len(anchor) - 1  # one that lies on the cut belongs to this part
        position = lowered.find(anchor, self._begun, last)
        while position >= 0:
            start, stop = find_bounds(lowered, position)
            yield start, stop
            # What was cut off is looked at again from a little before the cut.
            further = stop if stop < position + AFTER else stop - BEFORE
            position = lowered.find(anchor, max(further, position + 1), last)

    def _count(self, id: str, clue: Clue, block: bytes, start: int, text: str) -> None:
        if (id, start) in self._counted:
            return
        self._counted.add((id, start))
        seen = self.sightings.get(id)
        if seen is None or start < self._first.get(id, 0):
            # Another phrase of the same failure may stand higher up in this block.
            self._first[id] = start
            new = Sighting(self._line(block, start), shown(text))
            if seen:
                new = replace(seen, line=new.line, text=new.text)
            seen = self.sightings[id] = new
        seen.count += 1
        seen.hint = seen.hint or clue.hint
        rank = find_rank(text)
        if rank is not None and len(seen.ranks) < MOST_RANKS:
            seen.ranks.add(rank)
        host = find_host(text) or find_stream(self._before(block, start)) or self.host
        if host and len(seen.hosts) < MOST_RANKS:
            seen.hosts.add(host)

    def _before(self, block: bytes, start: int) -> bytes:
        """What stands before a message, also in the blocks before."""
        return (self.tail[-BEFORE:] + block[max(self._begun, start - BEFORE) : start])[-BEFORE:]

    def _line(self, block: bytes, start: int) -> int:
        return self.lines + 1 + block.count(b"\n", self._begun, max(start, self._begun))

    def _is_settled(self, probe: Probe) -> bool:
        """Whether there is nothing more to learn from a phrase."""
        return all(
            about in self.signs
            if isinstance(about, Sign)
            else about in self.sightings and self.sightings[about].count >= MOST
            for about, _ in probe.clues
        )


def shown(text: str) -> str:
    """What is told of a message: without what stands before it, tabs and runs of blanks as one."""
    return " ".join(strip_prefix(text[:BEFORE]).split())[:SHOWN]
