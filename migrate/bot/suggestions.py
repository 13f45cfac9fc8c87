"""Edits as suggestions in the review of somebody's pull request: only where its own diff shows the lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from migrate.findings import Finding, findings
from migrate.migration import Migration, Status
from migrate.notebooks.cells import is_notebook
from migrate.partial import find_trouble
from migrate.render.blocks import Block, assign, find_blocks
from migrate.render.diff import find_hunks
from migrate.render.markdown import fence, prose

MOST = 20
"""Suggestions of one review: more are better read as a pull request."""
_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+(\d{1,9})(?:,(\d{1,9}))? @@")
Shown = Mapping[str, Sequence[range]]
"""By path, the lines of the new file that each hunk of a pull request's diff shows."""


@dataclass(frozen=True)
class Suggestion:
    """Lines of a pull request's head, and what they should become."""

    path: str
    first: int
    last: int
    """1-based, both inclusive."""
    body: str

    def payload(self) -> dict[str, Any]:
        """As a comment of a review, for the REST interface."""
        start = {"start_line": self.first, "start_side": "RIGHT"} if self.first < self.last else {}
        return {"path": self.path, "line": self.last, "side": "RIGHT", **start, "body": self.body}


@dataclass(frozen=True)
class Review:
    """The suggestions for one head."""

    suggestions: tuple[Suggestion, ...]
    left: int
    """Places that are to be changed too and have none: not in the diff, or of no use without such a place."""


def shown_lines(patch: str) -> list[range]:
    """The lines that a file's patch, as the forge gives it, shows of the new file: a range for each hunk."""
    found = (_HUNK.match(line) for line in patch.split("\n"))
    hunks = [(int(hunk[1]), int(hunk[2] or 1)) for hunk in found if hunk is not None]
    return [range(first, first + count) for first, count in hunks]


def suggest(migrations: Mapping[str, Migration], shown: Shown) -> Review:
    """What can be suggested, file by file: all suggestions of a file together leave it whole."""
    suggestions: list[Suggestion] = []
    left = 0
    for path, migration in sorted(migrations.items()):
        if migration.status is not Status.MIGRATED:
            continue
        blocks = find_blocks(find_hunks(migration.source, migration.result))
        found = [] if is_notebook(path) else list(_fitting(path, migration, blocks, shown.get(path, ())))
        if found and len(suggestions) + len(found) <= MOST and _stands(migration, [block for block, _ in found]):
            suggestions += [suggestion for _, suggestion in found]
            left += len(blocks) - len(found)
        else:
            left += len(blocks)
    return Review(tuple(suggestions), left)


def _fitting(
    path: str, migration: Migration, blocks: Sequence[Block], shown: Sequence[range]
) -> Iterator[tuple[Block, Suggestion]]:
    """The blocks whose lines one hunk shows."""
    lines = _lines(migration.source)
    edits = assign(blocks, [finding for finding in findings(migration) if finding.edited])
    used: set[int] = {block.start + offset for block in blocks for offset in range(len(block.old))}
    for block in blocks:
        place = _place(block, lines, used)
        if place is None:
            continue
        first, last, new = place
        if any(first in hunk and last in hunk for hunk in shown):
            used.update(range(first - 1, last))
            about = [edit for edit, covered in edits.items() if block in covered]
            yield block, Suggestion(path, first, last, _body(about, new))


def _place(block: Block, lines: Sequence[str], used: set[int]) -> tuple[int, int, str] | None:
    """The 1-based lines to replace and their text. What is only put between lines is put beside a line that stays."""
    if block.old:
        return block.start + 1, block.start + len(block.old), "".join(block.new)
    new = "".join(block.new)
    if block.start < len(lines) and block.start not in used:
        return block.start + 1, block.start + 1, new + lines[block.start]
    before = block.start - 1
    if before < 0 or before in used:
        return None
    ended = lines[before] if lines[before].endswith("\n") else lines[before] + "\n"
    return before + 1, before + 1, ended + new


def _body(edits: Sequence[Finding], new: str) -> str:
    about = "".join(f"**{edit.rule}** ({edit.kind}) {prose(edit.message)}\n" for edit in edits)
    return f"{about}\n{fence(new.replace(chr(13) + chr(10), chr(10)), 'suggestion')}"


def _stands(migration: Migration, blocks: Sequence[Block]) -> bool:
    """Whether the file is whole with these blocks alone."""
    lines = _lines(migration.source)
    for block in reversed(blocks):
        lines[block.start : block.start + len(block.old)] = block.new
    return not find_trouble(migration.source, migration.result, "".join(lines))


def _lines(text: str) -> list[str]:
    # As in a patch: a line ends with LF only.
    return re.findall(r"[^\n]*\n|[^\n]+", text)
