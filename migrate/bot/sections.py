"""Parts of a text that must fit: a part that is too long loses whole rows and says how many, never half of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LARGEST = 65_536
"""Characters of the body of a pull request, or of a comment."""
_COUNT = 100
"""Room for the line that says how many rows are missing."""


@dataclass(frozen=True)
class Section:
    """A part of a text: a title, what stands above its rows, and the rows, each with its end of line."""

    title: str
    head: str = ""
    """Left out when there is room for none of the rows."""
    rows: Sequence[str] = ()
    total: int = 0
    """How many rows there are, when not all of them were made."""


def compose(sections: Sequence[Section], largest: int = LARGEST) -> str:
    """The sections one after the other, a blank line between them, in no more than `largest` characters.

    As long as others follow, the rows of one take no more than half of the room that is left. Titles must fit.
    """
    room = largest - sum(size(section.title) + size(section.head) + _COUNT for section in sections)
    texts: list[str] = []
    for number, section in enumerate(sections, 1):
        allowed = room // 2 if any(later.rows for later in sections[number:]) else room
        taken: list[str] = []
        for row in section.rows:
            if size(row) <= allowed:
                allowed -= size(row)
                room -= size(row)
                taken.append(row)
        texts.append(_text(section, taken))
    return "\n".join(texts)


def size(text: str) -> int:
    """Characters as JavaScript counts them, and perhaps the forge: some are two."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _text(section: Section, rows: Sequence[str]) -> str:
    missing = max(section.total, len(section.rows)) - len(rows)
    head = section.head if rows or not missing else ""
    count = f"\n{missing} more {'do' if missing != 1 else 'does'} not fit here.\n" if missing else ""
    return section.title + head + "".join(rows) + count
