"""Comments by which a user keeps tc-migrate away from a line or from a whole file.

    # tc-migrate: off                  on a line of its own, before the first statement that is neither the
                                       docstring nor an import: leave this file alone
    x.cuda()  # tc-migrate: ignore     leave this line alone, and say nothing about it
    x.cuda()  # tc-migrate: ignore[TC101, TC4]   the same, for these rules or prefixes of rules

On the first or the last line of a statement `ignore` covers the whole statement (of a compound one, its header);
elsewhere inside brackets, its own line. On a line of its own it covers the statement, or the line, that follows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from codemods.kit.cell_marks import MAGIC
from migrate.aliases import is_called
from migrate.lines import Comment, Outline, Statement, read_outline

_MARK = re.compile(r"#\s*tc-migrate:\s*(off|ignore)\b(?:\s*\[([^\]]*)\]?)?", re.IGNORECASE)


@dataclass(frozen=True)
class Ignore:
    """One `ignore` comment: the lines it covers and what it keeps away."""

    first: int
    last: int
    """1-based lines, both inclusive."""
    rules: tuple[str, ...] | None
    """Rule ids, aliases or their beginnings, in capitals; None for every rule."""

    def covers(self, rule_id: str, line: int) -> bool:
        """Whether `rule_id` must keep away from `line`."""
        if not self.first <= line <= self.last:
            return False
        return self.rules is None or is_called(rule_id.upper(), self.rules)


@dataclass(frozen=True)
class Suppressions:
    """What the comments of one file ask for."""

    file_off: bool = False
    ignores: tuple[Ignore, ...] = ()

    def covers(self, rule_id: str, line: int) -> bool:
        """Whether an edit or a note of `rule_id` at the 1-based source `line` must not be made."""
        return self.file_off or any(ignore.covers(rule_id, line) for ignore in self.ignores)


NONE = Suppressions()


def read_suppressions(source: str) -> Suppressions:
    """The suppressions in `source`; a string that contains such a text is none. Never raises."""
    if "tc-migrate:" not in source.lower():
        return NONE
    outline = read_outline(source)
    end_of_head = _end_of_head(outline)
    off = False
    ignores: list[Ignore] = []
    for comment in outline.comments:
        for mark in _MARK.finditer(comment.text):
            if mark[1].lower() == "ignore":
                ignores.append(_ignore(comment, outline.statements, mark[2]))
            elif comment.alone and comment.line < end_of_head:
                off = True
    return Suppressions(off, tuple(ignores))


def read_list_suppressions(text: str) -> Suppressions:
    """The suppressions in a list of packages, where each comment covers its own line."""
    found: list[Ignore] = []
    off = False
    for number, line in enumerate(text.splitlines(), start=1):
        for mark in _MARK.finditer(line):
            off |= mark[1].lower() == "off"
            rules = tuple(rule.strip().upper() for rule in (mark[2] or "").split(",") if rule.strip())
            found.append(Ignore(number, number, rules or None))
    return Suppressions(off, tuple(found))


def _end_of_head(outline: Outline) -> float:
    """The line of the first statement that is neither the docstring nor an import, nor a magic of a notebook."""
    for position, statement in enumerate(outline.statements):
        docstring = position == 0 and statement.literal
        if not docstring and statement.word not in ("import", "from") and not statement.word.startswith(MAGIC):
            return statement.first
    return float("inf")


def _ignore(comment: Comment, statements: tuple[Statement, ...], rules: str | None) -> Ignore:
    first, last = _covered(comment, statements)
    if rules is None:
        return Ignore(first, last, None)
    return Ignore(first, last, tuple(rule.strip().upper() for rule in rules.split(",") if rule.strip()))


def _covered(comment: Comment, statements: tuple[Statement, ...]) -> tuple[int, int]:
    line = comment.line
    for statement in statements:
        if statement.first <= line <= statement.last:
            if comment.alone:
                return line, line + 1
            whole = line in (statement.first, statement.last)
            return (statement.first, statement.last) if whole else (line, line)
        if statement.first > line:
            return (line, statement.last) if comment.alone else (line, line)
    return line, line
