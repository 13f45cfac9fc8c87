"""What was understood of programs, as text of any width, and as Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from posixpath import dirname, relpath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from migrate.engine.understood import Fact, Part, Understood

NARROWEST, WIDEST = 60, 200
NOT_UNDERSTOOD = "not understood"
_NAMES = 12
"""Columns of the words before what they are about."""
Place = Callable[[str, int], str]
"""From a path and a line to how a person reads it where the path is known: `line 12`, `cell 3 [In 7]:2`."""


def line_of(path: str, line: int) -> str:
    """A line of a script."""
    return f"line {line}"


def understood_lines(found: Understood, width: int, place: Place = line_of) -> Iterator[str]:
    """A program: its scripts, its loops, and what was not understood, in so many columns."""
    width = max(NARROWEST, min(WIDEST, width))
    for part in found.parts:
        yield from _wrapped(heading(part, place), width, "", "    ")
        if part.text:
            yield from _wrapped(part.text, width, "    ", "      ")
        name = ""
        for fact in part.facts:
            again = fact.name if fact.name != name else ""
            name = fact.name
            text = fact.text + where(fact, part.path, place)
            yield from _wrapped(text, width, f"  {again:<{_NAMES}}", " " * (_NAMES + 4))
        yield ""
    if found.unclear:
        yield NOT_UNDERSTOOD
        for fact in found.unclear:
            yield from _wrapped(fact.text + where(fact, "", place), width, "  ? ", "      ")
        yield ""


def heading(part: Part, place: Place = line_of) -> str:
    """What a part is and where: `training loop  train.py, line 12`."""
    return f"{part.kind}  {part.path}" + (f", {place(part.path, part.line)}" if part.line else "")


def where(fact: Fact, path: str, place: Place = line_of) -> str:
    """The lines of a fact in parentheses, with its file where that is another one."""
    if not fact.lines:
        return ""
    name = f"{relpath(fact.path, dirname(path))}, " if fact.path != path else ""
    first, *rest = (place(fact.path, line) for line in fact.lines)
    if rest and all(one.startswith("line ") for one in (first, *rest)):
        return f" ({name}lines {', '.join(one.removeprefix('line ') for one in (first, *rest))})"
    return f" ({name}{', '.join((first, *rest))})"


def _wrapped(text: str, width: int, first: str, rest: str) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False) or [first]
