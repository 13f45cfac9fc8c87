"""A hunk as two columns: each line of the source beside what became of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from migrate.render.diff import Hunk
from migrate.render.words import changed_spans, most_alike

Span = tuple[int, int]


@dataclass(frozen=True)
class Side:
    """A line in its column."""

    number: int
    """1-based."""
    text: str
    """Without its end."""
    spans: tuple[Span, ...] = ()
    """The parts that the other column has not."""


@dataclass(frozen=True)
class Pair:
    """A row: what stands on the left and on the right; None where the other side has more lines."""

    old: Side | None
    new: Side | None
    same: bool = False


def pair_lines(hunk: Hunk) -> list[Pair]:
    """The rows of a hunk, top to bottom."""
    old, new = hunk.old_start + 1, hunk.new_start + 1
    rows: list[Pair] = []
    removed: list[str] = []
    for mark, run in groupby(hunk.lines, key=lambda marked: marked[0]):
        lines = [line.rstrip("\r\n") for _, line in run]
        if mark == "-":
            removed = lines
            continue
        if mark == "+":
            rows += _aligned(removed, lines, old, new)
            old, new = old + len(removed), new + len(lines)
        else:
            rows += _aligned(removed, [], old, new)
            old += len(removed)
            rows += [Pair(Side(old + n, line), Side(new + n, line), same=True) for n, line in enumerate(lines)]
            old, new = old + len(lines), new + len(lines)
        removed = []
    return [*rows, *_aligned(removed, [], old, new)]


def _aligned(removed: Sequence[str], added: Sequence[str], old: int, new: int) -> Iterator[Pair]:
    """Rows in the order of both sides, with lines that are alike beside each other."""
    done = 0
    for index, line in enumerate(removed):
        match = index if len(removed) == len(added) else most_alike(line, added[done:])
        if match is None:
            yield Pair(Side(old + index, line), None)
            continue
        target = match if len(removed) == len(added) else done + match
        for skipped in range(done, target):
            yield Pair(None, Side(new + skipped, added[skipped]))
        other = added[target]
        left, right = tuple(changed_spans(line, other)), tuple(changed_spans(other, line))
        yield Pair(Side(old + index, line, left), Side(new + target, other, right))
        done = target + 1
    for left_over in range(done, len(added)):
        yield Pair(None, Side(new + left_over, added[left_over]))
