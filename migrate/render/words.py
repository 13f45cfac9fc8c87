"""Which words of two lines differ, and which line became which: what makes a diff quick to read."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

_WORD = re.compile(r"\w+|\s+|.")
_ALIKE = 0.6
"""Below this share of common characters a line did not come from another."""
_LOOKED_AT = 20
"""In a longer run the eye does not look for the partner either."""


def changed_spans(line: str, partner: str) -> Iterator[tuple[int, int]]:
    """The parts of `line` that `partner` has not; none when the two have little in common."""
    words, others = _WORD.findall(line), _WORD.findall(partner)
    matcher = SequenceMatcher(None, words, others, autojunk=False)
    if not others or matcher.ratio() < 0.4:
        return
    for tag, first, last, _, _ in matcher.get_opcodes():
        changed = "".join(words[first:last])
        if tag in ("replace", "delete") and changed.strip():
            start = len("".join(words[:first]))
            yield start, start + len(changed)


def most_alike(line: str, others: Sequence[str]) -> int | None:
    """The index of the one of `others` that `line` most probably became, or came from; None when none is like it."""
    near = [other.strip() for other in others[:_LOOKED_AT]]
    if line.strip() in near:
        return near.index(line.strip())
    matcher = SequenceMatcher(None, b=line.strip(), autojunk=False)
    best, best_ratio = None, _ALIKE
    for index, other in enumerate(near):
        matcher.set_seq1(other)
        if matcher.quick_ratio() > best_ratio and matcher.ratio() > best_ratio:
            best, best_ratio = index, matcher.ratio()
    return best
