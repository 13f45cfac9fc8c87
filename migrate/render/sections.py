"""A migrated file as a person reads it: its changed parts, and around each note that lies elsewhere a few lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from migrate.findings import Finding, findings
from migrate.lines import split_lines
from migrate.render.diff import Hunk
from migrate.render.entry import Entry
from migrate.render.side_by_side import Pair, Side, pair_lines

AROUND = 2
"""Lines shown on each side of a note that no change is near."""
MOST_CAUSES = 3
_NAME = re.compile(r"[^\W\d]\w*")
_SCOPE = re.compile(r"\s*((?:class|(?:async\s+)?def)\s+\w+)")


@dataclass(frozen=True)
class Section:
    """Lines that are shown together, with what is to be said of them."""

    title: str
    rows: tuple[Pair, ...]
    findings: tuple[Finding, ...]


def sections(entry: Entry) -> list[Section]:
    """The sections of a file, top to bottom. Every finding is in exactly one."""
    left = findings(entry.migration)
    edits = [finding for finding in left if finding.edited]
    lines = split_lines(entry.migration.source)
    found: list[tuple[int, Section]] = []
    for hunk in entry.hunks:
        here = [finding for finding in left if _is_at(finding, hunk)]
        left = [finding for finding in left if finding not in here]
        rows = tuple(pair_lines(hunk))
        title = _title(lines, _first_changed(hunk))
        if not here:
            title += f": {_reason(rows, lines, edits)}"
        found.append((hunk.old_start, Section(title, rows, tuple(here))))
    found += [(start, section) for start, section in _excerpts(lines, left)]
    return [section for _, section in sorted(found, key=lambda placed: placed[0])]


def _is_at(finding: Finding, hunk: Hunk) -> bool:
    first = hunk.old_start + 1
    return first <= finding.line < first + max(1, hunk.old_count) or hunk.shows(finding.line)


def _reason(rows: Sequence[Pair], lines: Sequence[str], edits: Sequence[Finding]) -> str:
    """Why a part changes at which no edit is: the edits whose lines have the names that go."""
    changed = [side.text.strip() for row in rows if not row.same for side in (row.old, row.new) if side]
    if all(text.startswith(("import ", "from ")) for text in changed if text):
        return "imports for the edits"
    gone = {name for row in rows if row.old and not row.same for name in _names_gone(row)}
    causes = [edit for edit in edits if edit.line <= len(lines) and gone & set(_NAME.findall(lines[edit.line - 1]))]
    # A name that many edits are about is `torch` or the like, and tells nothing.
    if 0 < len(causes) <= MOST_CAUSES:
        return "goes with " + ", ".join(f"{edit.rule} at line {edit.line}" for edit in causes)
    return "goes with the other edits"


def _names_gone(row: Pair) -> list[str]:
    assert row.old is not None
    if row.old.spans:
        return [name for first, last in row.old.spans for name in _NAME.findall(row.old.text[first:last])]
    return _NAME.findall(row.old.text)


def _first_changed(hunk: Hunk) -> int:
    unchanged = next((offset for offset, (mark, _) in enumerate(hunk.lines) if mark != " "), 0)
    return hunk.old_start + 1 + unchanged


def _title(lines: Sequence[str], number: int) -> str:
    """The 1-based line and the functions and classes around it: `line 12, class Trainer, def fit`."""
    around: list[str] = []
    indent = _indent(lines[number - 1]) if number <= len(lines) else 0
    for line in reversed(lines[: number - 1]):
        if line.strip() and _indent(line) < indent:
            indent = _indent(line)
            match = _SCOPE.match(line)
            if match:
                around.insert(0, match[1])
    return ", ".join([f"line {number}", *around])


def _indent(line: str) -> int:
    return len(line.expandtabs()) - len(line.expandtabs().lstrip())


def _excerpts(lines: Sequence[str], left: Sequence[Finding]) -> Iterator[tuple[int, Section]]:
    """The lines around notes, those of notes near each other together."""
    group: list[Finding] = []
    for finding in (*left, None):
        if group and (finding is None or finding.line > group[-1].line + 2 * AROUND + 1):
            first = max(1, group[0].line - AROUND)
            shown = lines[first - 1 : group[-1].line + AROUND]
            sides = [Side(first + offset, line.rstrip("\r\n")) for offset, line in enumerate(shown)]
            title = _title(lines, group[0].line)
            yield (
                first - 1,
                Section(f"{title}: not changed", tuple(Pair(side, None, same=True) for side in sides), tuple(group)),
            )
            group = []
        if finding is not None:
            group.append(finding)
