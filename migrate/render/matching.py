"""Which lines of two texts are the same ones: what a diff, and a note's way into the result, rest on."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from difflib import SequenceMatcher

from migrate.lines import split_lines

Opcode = tuple[str, int, int, int, int]
"""As difflib's: `equal`, `replace`, `delete` or `insert`, and the ranges in the old and in the new lines."""


def find_opcodes(old: Sequence[str], new: Sequence[str]) -> list[Opcode]:
    """How `old` becomes `new`.

    Lines that occur once on both sides are matched first (patience diff), and difflib compares what lies between
    them: alone it takes seconds for four thousand lines, or, with its `autojunk`, ignores every line that comes often.
    """
    pairs = [*_match(old, new, 0, len(old), 0, len(new)), (len(old), len(new))]
    opcodes: list[Opcode] = []
    i = j = start = 0
    for a, b in pairs:
        if (a, b) != (i, j):
            if i > start:
                opcodes.append(("equal", start, i, j - (i - start), j))
            tag = "insert" if a == i else "delete" if b == j else "replace"
            opcodes.append((tag, i, a, j, b))
            start = a
        i, j = a + 1, b + 1
    if len(old) > start:
        opcodes.append(("equal", start, len(old), len(new) - (len(old) - start), len(new)))
    return opcodes


def map_lines(source: str, result: str, lines: Collection[int]) -> dict[int, int]:
    """Where each of these 1-based source lines went in `result`, 1-based; a deleted one, the line that follows it."""
    if source == result:
        return {line: line for line in lines}
    old, new = split_lines(source), split_lines(result)
    opcodes = find_opcodes(old, new)
    return {line: _map_line(line - 1, opcodes, old, new) + 1 for line in lines}


def _match(old: Sequence[str], new: Sequence[str], i1: int, i2: int, j1: int, j2: int) -> Iterator[tuple[int, int]]:
    """The pairs of equal lines within two ranges, in order."""
    while i1 < i2 and j1 < j2 and old[i1] == new[j1]:
        yield i1, j1
        i1, j1 = i1 + 1, j1 + 1
    tail = 0
    while i1 < i2 - tail and j1 < j2 - tail and old[i2 - 1 - tail] == new[j2 - 1 - tail]:
        tail += 1
    i2, j2 = i2 - tail, j2 - tail
    if i1 < i2 and j1 < j2:
        anchors = _anchors(old, new, i1, i2, j1, j2)
        if anchors:
            for a, b in anchors:
                yield from _match(old, new, i1, a, j1, b)
                yield a, b
                i1, j1 = a + 1, b + 1
            yield from _match(old, new, i1, i2, j1, j2)
        else:
            # Without `autojunk` difflib is quadratic in the lines that come often: only then is a rougher match better.
            matcher = SequenceMatcher(None, old[i1:i2], new[j1:j2], autojunk=max(i2 - i1, j2 - j1) > 1000)
            for a, b, size in matcher.get_matching_blocks():
                yield from ((i1 + a + offset, j1 + b + offset) for offset in range(size))
    yield from ((i2 + offset, j2 + offset) for offset in range(tail))


def _anchors(old: Sequence[str], new: Sequence[str], i1: int, i2: int, j1: int, j2: int) -> list[tuple[int, int]]:
    """The longest run, rising on both sides, of pairs of lines that occur once on each side."""
    in_old, in_new = Counter(old[i1:i2]), Counter(new[j1:j2])
    position = {new[j]: j for j in range(j1, j2) if in_new[new[j]] == 1}
    pairs = [(i, position[old[i]]) for i in range(i1, i2) if old[i] in position and in_old[old[i]] == 1]
    # Patience sorting: `ends[n]` is the smallest new line a rising run of n + 1 pairs can end with.
    ends: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1] = [j]
        last[length : length + 1] = [number]
    run: list[tuple[int, int]] = []
    number = last[-1] if last else -1
    while number >= 0:
        run.append(pairs[number])
        number = before[number]
    return run[::-1]


def _map_line(index: int, opcodes: list[Opcode], old: list[str], new: list[str]) -> int:
    for tag, i1, i2, j1, j2 in opcodes:
        if i1 <= index < i2:
            if tag == "equal":
                return j1 + index - i1
            return _closest(old[index], new, j1, j2, j1 + index - i1)
    return min(index, len(new))


def _closest(line: str, new: list[str], first: int, last: int, expected: int) -> int:
    """The line of `new[first:last]` that resembles `line` most; by position when none does."""
    if first == last:
        return first
    matcher = SequenceMatcher(None, b=line.strip(), autojunk=False)
    best, best_ratio = min(expected, last - 1), 0.5
    for candidate in range(first, last):
        matcher.set_seq1(new[candidate].strip())
        if matcher.real_quick_ratio() > best_ratio and matcher.ratio() > best_ratio:
            best, best_ratio = candidate, matcher.ratio()
    return best
