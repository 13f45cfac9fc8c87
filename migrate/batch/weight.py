"""How much work and memory a text may take, told before any parser has it.

LibCST's parser remembers what it has tried at every character, with all that is nested there. A script takes some 600
bytes for each of its characters, a line of one-letter statements 4,500, and calls nested 190 deep 140,000.
"""

from __future__ import annotations

import re

_OF_A_LINE = 100
"""Characters. A longer line is as much work as several."""
_EACH, _NESTED = 10_000, 1_600
"""Bytes of memory, at most: for a character, and for each bracket around it."""
_BRACKETS = re.compile(r"[()\[\]{}]")


def work_of(text: str) -> int:
    """How much work a text is, in lines."""
    return max(text.count("\n"), len(text) // _OF_A_LINE)


def memory_of(text: str) -> int:
    """Bytes of memory that parsing it takes at most. Brackets in strings count: it may be far too much."""
    depth = nested = before = 0
    for match in _BRACKETS.finditer(text):
        nested += depth * (match.start() - before)
        before = match.start()
        depth = depth + 1 if match[0] in "([{" else max(depth - 1, 0)
    return _EACH * len(text) + _NESTED * nested
