"""The edits that tell a reader most of what was done: three at most, each of another rule, before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from migrate.bot.origin import Origin, shown_place
from migrate.bot.sections import Section
from migrate.findings import Effort, Finding, findings
from migrate.migration import Migration, Status
from migrate.notebooks.cells import is_notebook
from migrate.render.blocks import Block, assign, find_blocks
from migrate.render.diff import find_hunks
from migrate.render.markdown import clip, fence, prose
from migrate.unseen import visible

_MOST, _LINES, _WIDTH = 3, 12, 160
_GROUPS = "452361"
"""Of the rules, the most telling first: the step, processes, data, precision, files, the device."""


def telling_edits(migrations: Mapping[str, Migration], origin: Origin) -> Section:
    """Those that a person should read first, then by what they are about."""
    found = sorted(_edits(migrations), key=lambda each: _rank(each[1]))
    chosen: dict[str, str] = {}
    for path, edit, blocks in found:
        if edit.rule not in chosen and len(chosen) < _MOST:
            why = prose(clip(edit.message, 400))
            chosen[edit.rule] = f"\n{shown_place(path, edit, origin)} {why}\n\n{fence(_diff(blocks), 'diff')}"
    return Section("### The most telling edits\n", "", list(chosen.values()), len(chosen))


def _edits(migrations: Mapping[str, Migration]) -> Iterator[tuple[str, Finding, list[Block]]]:
    for path, each in sorted(migrations.items()):
        if each.status is Status.MIGRATED and not is_notebook(path):
            edits = [finding for finding in findings(each) if finding.edited]
            blocks = find_blocks(find_hunks(each.source, each.result, context=0))
            for edit, its in assign(blocks, edits).items():
                at_line = [block for block in its if block.covers(edit.line)]
                if at_line and sum(len(block.old) + len(block.new) for block in at_line) <= _LINES:
                    yield path, edit, at_line


def _rank(edit: Finding) -> tuple[bool, int]:
    group = edit.rule[2:3]
    return edit.effort is not Effort.REVIEW, _GROUPS.index(group) if group and group in _GROUPS else len(_GROUPS)


def _diff(blocks: list[Block]) -> str:
    lines = [f"{mark}{clip(visible(line.rstrip()), _WIDTH)}\n" for block in blocks
             for mark, side in (("-", block.old), ("+", block.new)) for line in side]  # fmt: skip
    return "".join(lines).encode("utf-8", "replace").decode()
