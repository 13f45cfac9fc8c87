"""Compares what two runs print: a figure of the training that differs is a value read at the wrong time.

Lines are compared by template, the line with its numbers taken out, and within a template in order and column by
column. A column in which two native runs of the original differ says nothing (a duration, a rate, a temporary name) and
is left out; so is one that looks like a time, since two short runs may take equally long. Lines that only one side
prints are its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w]*[A-Za-z_]\w*\.)")
CLOCK = re.compile(r"\d{4}-\d\d-\d\d[T ]?|\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)?")
"""Dates and times of day."""
TIMED = re.compile(r"time|elapsed|took|speed|through|second|eta|memory|mem\b|/s\b|\b(?:s|sec|ms|min|[KMG]i?B)\b", re.I)
"""What stands beside a figure of time or memory."""
ROUNDING = 2e-3
"""Relative difference of two figures that are the same, beside one unit of their last place."""


@dataclass(frozen=True)
class Difference:
    """One figure that is printed otherwise."""

    error: bool
    """Whether it is a figure of the training: it changes from line to line, or has a fraction. Others are settings."""
    text: str


@dataclass(frozen=True)
class Line:
    """One printed line, taken apart."""

    text: str
    template: str
    figures: tuple[str, ...]


def compare_output(original: str, disturbed: str, migrated: str) -> Iterator[Difference]:
    """The first figure of each template that the migrated run prints otherwise than both native runs."""
    native, noise, other = (by_template(output) for output in (original, disturbed, migrated))
    for template, lines in native.items():
        if template in noise and steady_columns(lines, noise[template]):
            if template in other:
                difference = compare_lines(lines, noise[template], other[template])
                if difference is not None:
                    yield difference
            elif any(tells(lines, column) for column in steady_columns(lines, noise[template])):
                yield Difference(False, f'prints no line like "{lines[0].text}"')


def count_compared(original: str, disturbed: str, migrated: str) -> tuple[int, int]:
    """How many of the original's printed lines with figures of the training were compared, and how many there are."""
    native, noise, other = (by_template(output) for output in (original, disturbed, migrated))
    kept = {key: lines for key, lines in native.items() if key in noise and steady_columns(lines, noise[key])}
    compared = sum(min(len(lines), len(other.get(key, ()))) for key, lines in kept.items())
    return compared, sum(map(len, kept.values()))


def by_template(output: str) -> dict[str, list[Line]]:
    """The lines that have figures, by template, each in order."""
    lines: dict[str, list[Line]] = {}
    for text in re.split(r"[\r\n]+", output):
        plain = CLOCK.sub("", text).strip()
        figures = tuple(match.group() for match in NUMBER.finditer(plain))
        if figures and len(plain) < 500:
            template = NUMBER.sub("#", plain)
            lines.setdefault(template, []).append(Line(text.strip(), template, figures))
    return lines


def compare_lines(native: list[Line], noise: list[Line], other: list[Line]) -> Difference | None:
    """The first difference between the lines of one template, in the columns that mean something."""
    columns = steady_columns(native, noise)
    for mine, theirs in zip(native, other, strict=False):
        for column in columns:
            if not near(mine.figures[column], theirs.figures[column]):
                return Difference(
                    tells(native, column), f'prints "{theirs.text}" where the original prints "{mine.text}"'
                )
    if len(other) < len(native) == len(noise) and columns:
        return Difference(True, f'prints {len(other)} lines like "{other[0].text}", the original {len(native)}')
    return None


def steady_columns(native: list[Line], noise: list[Line]) -> list[int]:
    """The columns that are the same in two native runs, and no time."""
    return [
        column
        for column in range(len(native[0].figures))
        if not timed(native[0].template, column)
        and all(near(a.figures[column], b.figures[column]) for a, b in zip(native, noise, strict=False))
    ]


def tells(lines: list[Line], column: int) -> bool:
    """Whether a figure is one of the training: it changes from line to line, or has a fraction."""
    return len({line.figures[column] for line in lines}) > 1 or float(lines[0].figures[column]) % 1 != 0


def timed(template: str, column: int) -> bool:
    """Whether the words beside a figure say that it is a time, a rate or an amount of memory."""
    parts = template.split("#")
    word = parts[column].rstrip(" :=(\t").rsplit(" ", 1)[-1]
    unit = parts[column + 1].lstrip().split(" ", 1)[0]
    return bool(TIMED.search(word) or TIMED.search(unit))


def near(a: str, b: str) -> bool:
    """Whether two printed figures are the same but for rounding."""
    places = max(9 if "e" in figure.lower() else len(figure.partition(".")[2]) for figure in (a, b))
    left, right = float(a), float(b)
    if not places:
        return left == right
    return abs(left - right) <= 1.01 * 10.0**-places + ROUNDING * max(abs(left), abs(right))
