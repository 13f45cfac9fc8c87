"""The charts of the HTML reports, as SVG that takes its colours from the page's style sheet."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from migrate.findings import Effort
from migrate.unseen import escape

WIDTH = 440
_ROW, _BAR, _LABEL, _VALUE = 22, 12, 184, 40
"""Height of a row and of its bar; room for the label on the left and the number on the right."""

AREAS = {
    "1": "device", "2": "data", "3": "precision", "4": "step", "5": "processes", "6": "save and load", "7": "launch",
    "8": "packages", "9": "no counterpart",
}  # fmt: skip
"""What the first digit of a rule says."""


def share_bar(efforts: Mapping[Effort, int]) -> str:
    """One bar, divided by effort; nothing when there is none."""
    total = sum(efforts.values())
    if not total:
        return ""
    parts, x = [], 0.0
    for effort, number in efforts.items():
        width = WIDTH * number / total
        label = f"{effort.value}: {number}"
        parts.append(
            f'<rect class="fill-{effort.value}" x="{x:.1f}" y="0" width="{max(0.0, width - 1):.1f}" height="22" rx="3">'
            f"<title>{label}</title></rect>"
        )
        x += width
    text = ", ".join(f"{number} {effort.value}" for effort, number in efforts.items())
    box = f'viewBox="0 0 {WIDTH} 22" preserveAspectRatio="none" role="img" aria-label="{text}"'
    return f'<svg class="chart share" {box}>{"".join(parts)}</svg>'


def stacked_bars(rows: Sequence[tuple[str, str, Mapping[Effort, int]]], about: str) -> str:
    """A bar for each row, divided by effort. A row: its label, the rule it filters by or nothing, and its numbers."""
    longest = max((sum(numbers.values()) for _, _, numbers in rows), default=0)
    if not longest:
        return ""
    marks: list[str] = []
    for position, (label, rule, numbers) in enumerate(rows):
        marks += _row(position * _ROW, label, rule, numbers, longest)
    box = f'viewBox="0 0 {WIDTH} {len(rows) * _ROW}" role="img" aria-label="{escape(about)}"'
    return f'<svg class="chart" {box}>{"".join(marks)}</svg>'


def _row(y: int, label: str, rule: str, numbers: Mapping[Effort, int], longest: int) -> Iterable[str]:
    action = f' class="pick" data-rule="{rule}" tabindex="0" role="button" aria-label="only {rule}"' if rule else ""
    yield f'<g{action}><rect class="hover" x="0" y="{y}" width="{WIDTH}" height="{_ROW}"/>'
    yield f'<text class="label" x="0" y="{y + _ROW / 2 + 4}">{escape(label)}</text>'
    x, scale = float(_LABEL), (WIDTH - _LABEL - _VALUE) / longest
    for effort in Effort:
        if number := numbers.get(effort, 0):
            width = max(2.0, number * scale)
            top = y + (_ROW - _BAR) / 2
            yield f'<rect class="fill-{effort.value}" x="{x:.1f}" y="{top}" width="{width:.1f}" height="{_BAR}">'
            yield f"<title>{number} {effort.value}</title></rect>"
            x += width
    yield f'<text class="value" x="{x + 6:.1f}" y="{y + _ROW / 2 + 4}">{sum(numbers.values())}</text></g>'
