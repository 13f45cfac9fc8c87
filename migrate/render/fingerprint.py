"""A line's identity that survives edits elsewhere in its file, as GitHub code scanning computes it."""

from __future__ import annotations

import re
from collections import Counter

WINDOW = 100
"""Characters hashed from the start of a line on, blanks and tabs not counted."""
_FACTOR = 37
_BITS = (1 << 64) - 1
_END = 0xFFFF
"""Stands for the end of the file."""


def line_hashes(text: str) -> list[str]:
    """`primaryLocationLineHash` of each line, the empty one behind the last end of line included.

    GitHub's upload action computes the same, and warns about a report in which it differs: the text from the line's
    start on, without blanks, as a number in base 37 of 64 bits, then how often that number came so far.
    """
    units: list[int] = []
    starts = [0]
    for part in re.findall(r"\r\n|\r|\n|[^\r\n]+", text):
        if part[0] in "\r\n":
            units.append(10)
            starts.append(len(units))
        else:
            units += _utf16(part.replace(" ", "").replace("\t", ""))
    units.append(_END)
    seen: Counter[str] = Counter()
    hashes = []
    for start in starts:
        found = f"{_hash(units[start : start + WINDOW]):x}"
        seen[found] += 1
        hashes.append(f"{found}:{seen[found]}")
    return hashes


def _hash(units: list[int]) -> int:
    value = 0
    for unit in units:
        value = (value * _FACTOR + unit) & _BITS
    return value * pow(_FACTOR, WINDOW - len(units), 1 << 64) & _BITS


def _utf16(text: str) -> list[int]:
    if text.isascii():
        return list(text.encode("ascii"))
    data = text.encode("utf-16-le", "surrogatepass")
    return [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]
