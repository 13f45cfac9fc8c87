"""What exactly a diff replaces: its blocks of changed lines, and the edits each of them belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from migrate.findings import Finding
from migrate.render.diff import Hunk


@dataclass(frozen=True)
class Block:
    """Lines that stand together and are replaced; none of them when lines are only put between."""

    start: int
    """0-based index of the first source line replaced, or of the one that the new lines stand before."""
    old: tuple[str, ...]
    new: tuple[str, ...]
    """Both with their ends of line."""

    def covers(self, line: int) -> bool:
        """Whether the 1-based source `line` is replaced, or the new lines stand beside it."""
        return self.start < line <= self.start + len(self.old) if self.old else line in (self.start, self.start + 1)

    def distance(self, line: int) -> int:
        """How far the 1-based source `line` is from it."""
        return max(self.start + 1 - line, line - self.start - max(1, len(self.old)), 0)


def find_blocks(hunks: Iterable[Hunk]) -> list[Block]:
    """The blocks of a diff, in order."""
    return [block for hunk in hunks for block in _blocks(hunk)]


def assign(blocks: Sequence[Block], edits: Sequence[Finding]) -> dict[Finding, list[Block]]:
    """For each edit the blocks it explains: those at its line, and those no edit is at, given to the nearest edit."""
    found: dict[Finding, list[Block]] = {edit: [] for edit in edits}
    for block in blocks:
        there = [edit for edit in edits if block.covers(edit.line)]
        if not there and edits:
            there = [min(edits, key=lambda edit: block.distance(edit.line))]
        for edit in there:
            found[edit].append(block)
    return found


def _blocks(hunk: Hunk) -> Iterator[Block]:
    position = start = hunk.old_start
    old: list[str] = []
    new: list[str] = []
    for mark, line in (*hunk.lines, (" ", "")):
        if mark == " ":
            if old or new:
                yield Block(start, tuple(old), tuple(new))
                old, new = [], []
            position += 1
            start = position
        elif mark == "-":
            old.append(line)
            position += 1
        else:
            new.append(line)
