"""The charts of the HTML report, as SVG that takes its colours from the page's style sheet."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from migrate.smoke.report_rows import Row
from migrate.smoke.report_words import loss_text

WIDTH, HEIGHT, LOW = 720, 260, 170
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 12, 34
"""Room for the labels of the axes, in the same units. A chart of small numbers is `LOW`."""
SMALLEST = 1e-9
"""Where a difference of nothing is drawn: a logarithm has no zero."""


@dataclass(frozen=True)
class Frame:
    """Where a step and a value are in a chart."""

    steps: int
    low: float
    high: float
    logarithmic: bool = False
    height: int = HEIGHT

    @property
    def floor(self) -> int:
        """Where the axis of steps is."""
        return self.height - BOTTOM

    def x(self, step: float) -> float:
        """The middle of a step's column; steps count from 1."""
        return LEFT + (step - 0.5) * self.column

    def y(self, value: float) -> float:
        """The height of a value."""
        low, high = self.scale(self.low), self.scale(self.high)
        share = (self.scale(min(max(value, self.low), self.high)) - low) / (high - low)
        return self.floor - share * (self.floor - TOP)

    @property
    def column(self) -> float:
        """The width of one step."""
        return (WIDTH - LEFT - RIGHT) / max(1, self.steps)

    def scale(self, value: float) -> float:
        """The value, or its logarithm."""
        return math.log10(value) if self.logarithmic else value


def loss_chart(rows: Sequence[Row]) -> str:
    """Both loss curves: the original as a broad line, the migrated as a thin one on top, so that both are seen."""
    original = [(row.step, row.original) for row in rows if is_number(row.original)]
    migrated = [(row.step, row.migrated) for row in rows if is_number(row.migrated)]
    values = [value for _, value in (*original, *migrated) if value is not None]
    if not values:
        return ""
    margin = (max(values) - min(values)) * 0.06 or abs(max(values)) * 0.1 or 1.0
    frame = Frame(len(rows), min(values) - margin, max(values) + margin)
    marks = [line(frame, original, "original"), line(frame, migrated, "migrated")]
    marks += [dot(frame, step, value, "migrated") for step, value in migrated]
    marks += [diverging(frame, row) for row in rows if row.diverges][:1]
    marks += [
        hover(frame, row, f"original {loss_text(row.original)}, migrated {loss_text(row.migrated)}") for row in rows
    ]
    return chart("Loss of the original and of the migrated script by optimizer step", frame, marks, plain)


def difference_chart(rows: Sequence[Row]) -> str:
    """How far the losses are apart, on a logarithmic scale, and how far they may be."""
    shown = [row for row in rows if row.difference is not None and row.allowed is not None]
    if not shown:
        return ""
    highest = max(max(finite(row.difference), row.allowed or 0.0) for row in shown)
    frame = Frame(len(rows), SMALLEST, 10 ** math.ceil(math.log10(highest * 2)), logarithmic=True)
    marks = [line(frame, [(row.step, row.allowed) for row in shown], "allowed")]
    for row in shown:
        kind = "bad" if row.diverges else "good" if row.compared else "idle"
        height = frame.y(max(finite(row.difference), SMALLEST))
        marks.append(f'<path class="stem {kind}" d="M{frame.x(row.step):.1f} {frame.floor}V{height:.1f}"/>')
        marks.append(dot(frame, row.step, max(finite(row.difference), SMALLEST), kind))
    marks += [
        hover(frame, row, f"{loss_text(row.difference)} apart, {loss_text(row.allowed)} allowed") for row in shown
    ]
    return chart("Relative difference of the losses by optimizer step", frame, marks, power)


def graph_chart(rows: Sequence[Row]) -> str:
    """Graphs executed in each step, and how many of them had to be compiled."""
    counted = [(row.step, row.graphs) for row in rows if row.graphs is not None]
    if not counted:
        return ""
    frame = Frame(len(rows), 0, max(2, *(graphs.executed for _, graphs in counted)), height=LOW)
    width = min(26.0, max(1.0, frame.column - 2))
    marks = []
    for step, graphs in counted:
        marks.append(bar(frame, step, width, graphs.executed, "executed"))
        marks.append(bar(frame, step, width, min(graphs.compiled, graphs.executed), "compiled"))
    marks += [
        hover(frame, row, f"{row.graphs.executed} executed, {row.graphs.compiled} of them compiled")
        for row in rows
        if row.graphs
    ]
    return chart("Graphs executed by optimizer step", frame, marks, plain, whole=True)


def chart(title: str, frame: Frame, marks: Iterable[str], label: Callable[[float], str], whole: bool = False) -> str:
    """The axes, and on them the marks."""
    parts = [
        f'<svg class="chart" viewBox="0 0 {WIDTH} {frame.height}" role="img" aria-label="{html.escape(title)}">',
        f"<title>{html.escape(title)}</title>",
    ]
    for value in ticks(frame, whole):
        y = frame.y(value)
        parts.append(f'<path class="grid" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        parts.append(f'<text class="tick" x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{label(value)}</text>')
    for step in step_ticks(frame.steps):
        parts.append(
            f'<text class="tick" x="{frame.x(step):.1f}" y="{frame.height - 12}" text-anchor="middle">{step}</text>'
        )
    return "\n".join([*parts, *marks, "</svg>"])


def line(frame: Frame, points: Sequence[tuple[int, float | None]], kind: str) -> str:
    """A curve through points."""
    path = "L".join(f"{frame.x(step):.1f} {frame.y(value):.1f}" for step, value in points if value is not None)
    return f'<path class="line {kind}" d="M{path}"/>' if path else ""


def dot(frame: Frame, step: int, value: float | None, kind: str) -> str:
    """One point; small where there are many."""
    radius = 2.6 if frame.steps <= 80 else 1.4
    return f'<circle class="dot {kind}" cx="{frame.x(step):.1f}" cy="{frame.y(value or 0.0):.1f}" r="{radius}"/>'


def bar(frame: Frame, step: int, width: float, value: float, kind: str) -> str:
    """A bar from the axis up; none for zero."""
    if not value:
        return ""
    y = frame.y(value)
    x = frame.x(step) - width / 2
    height = frame.floor - y
    return f'<rect class="bar {kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" rx="2"/>'


def diverging(frame: Frame, row: Row) -> str:
    """A line at the first step that diverges."""
    x = frame.x(row.step)
    side, anchor = (6, "start") if row.step <= frame.steps * 0.7 else (-6, "end")
    return (
        f'<path class="line bad" d="M{x:.1f} {TOP}V{frame.floor}"/>'
        f'<text class="note bad" x="{x + side:.1f}" y="{TOP + 12}" text-anchor="{anchor}">diverges at {row.step}</text>'
    )


def hover(frame: Frame, row: Row, said: str) -> str:
    """What is said of a step when the pointer is on its column."""
    x = frame.x(row.step) - frame.column / 2
    return (
        f'<rect class="hover" x="{x:.1f}" y="{TOP}" width="{frame.column:.1f}" height="{frame.floor - TOP}">'
        f"<title>step {row.step}: {html.escape(said)}</title></rect>"
    )


def ticks(frame: Frame, whole: bool) -> Iterator[float]:
    """Round values across the axis of values."""
    if frame.logarithmic:
        first, last = round(math.log10(frame.low)), round(math.log10(frame.high))
        stride = max(1, math.ceil((last - first) / 6))
        yield from (10.0**exponent for exponent in range(first, last + 1, stride))
        return
    rough = (frame.high - frame.low) / 7
    power_of_ten = 10 ** math.floor(math.log10(rough))
    stride_value = next(factor * power_of_ten for factor in (1, 2, 5, 10) if factor * power_of_ten >= rough)
    if whole:
        stride_value = max(1, round(stride_value))
    index = math.ceil(frame.low / stride_value)
    while index * stride_value <= frame.high * (1 + 1e-9):
        yield index * stride_value
        index += 1


def step_ticks(steps: int) -> Iterator[int]:
    """Steps to be named on the axis: the first, and round ones."""
    stride = next((size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500) if steps / size <= 12), max(1, steps // 10))
    yield 1
    yield from (step for step in range(stride, steps + 1, stride) if step > 1)


def is_number(value: float | None) -> bool:
    """Whether there is a finite number to draw."""
    return value is not None and math.isfinite(value)


def finite(value: float | None) -> float:
    """The value for a drawing: infinity, as far as an axis goes."""
    return 1.0 if value is None or not math.isfinite(value) else value


def plain(value: float) -> str:
    """A tick of a linear axis."""
    return f"{value:.4g}"


def power(value: float) -> str:
    """A tick of the axis of differences; its lowest is where nothing is drawn."""
    return "0" if value <= SMALLEST * 1.01 else f"1e{round(math.log10(value))}"
