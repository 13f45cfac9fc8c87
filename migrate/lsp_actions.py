"""A migration in the words of the Language Server Protocol: diagnostics, and quick fixes made of hunks. Pure."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Sequence, Set
from itertools import accumulate

from lsprotocol import types

from codemods.kit.rules import Change, Note, Safety, Severity
from migrate.migration import Migration, Status
from migrate.needs import Needs
from migrate.render.diff import Hunk, find_hunks

SOURCE = "tc-migrate"
FIX_ALL = "source.fixAll.tc-migrate"
"""The kind of the action that migrates the file: an editor can be told to run it on saving."""
FIX_EXACT = "source.tc-migrate.exact"
"""The kind of the action that makes those edits of the file which do exactly what the original did."""
_MOST_IGNORED = 8
"""Comments that are offered for the lines of one selection."""

_SEVERITIES = {
    Severity.ERROR: types.DiagnosticSeverity.Error,
    Severity.WARNING: types.DiagnosticSeverity.Warning,
    Severity.INFO: types.DiagnosticSeverity.Information,
}
_END_OF_LINE = 2**31 - 1
"""A character behind the end of a line means its end, whatever the unit the client counts in."""


def diagnostics(migration: Migration) -> list[types.Diagnostic]:
    """Its notes, its edits, and why it was refused."""
    lines = _lines(migration.source)
    findings: tuple[Note | Change, ...] = (*migration.notes, *migration.changes)
    found = [_of_finding(each, lines) for each in findings]
    if migration.status in (Status.REFUSED, Status.FAILED):
        whole = f"{migration.status.value}: {migration.reason}"
        found.append(_diagnostic(1, lines, types.DiagnosticSeverity.Error, None, whole))
    return found


class Actions:
    """What can be done about the lines of a script, all worked out once for a text of it."""

    def __init__(self, uri: str, migration: Migration) -> None:
        self.uri, self.migration = uri, migration
        self.diagnostics = diagnostics(migration)
        self.hunks = find_hunks(migration.source, migration.result, 0)
        self._needs = Needs(migration.source, migration.result, self.hunks)
        places = _ranges(migration.source, self.hunks)
        self._edits = [types.TextEdit(place, _new_text(hunk)) for place, hunk in zip(places, self.hunks, strict=True)]
        self._numbers = {id(hunk): number for number, hunk in enumerate(self.hunks)}
        self._needed = [[self._numbers[id(each)] for each in self._needs.of(hunk)] for hunk in self.hunks]
        self._exact = self._find_exact()
        self._lines, self._open = _lines(migration.source), _in_texts(migration.source)

    def at(self, wanted: types.Range) -> list[types.CodeAction]:
        """Its hunks at these lines, what is sure of the file, all of it, and leaving a line out."""
        shown = [each for each in self.diagnostics if _overlap(each.range, wanted)]
        found = []
        for hunk, needed, edit in zip(self.hunks, self._needed, self._edits, strict=True):
            if needed and len(needed) < len(self.hunks) and _meets(edit.range, wanted):
                about = [each for each in shown if hunk.shows(each.range.start.line + 1)]
                title = _title(self.migration, hunk, needed)
                kind = types.CodeActionKind.QuickFix
                found.append(types.CodeAction(title, kind, about, edit=self._edit(needed)))
        if self.hunks:
            every = self._edit(range(len(self.hunks)))
            title = f"Migrate this file to {self.migration.target}"
            found.append(types.CodeAction(title, types.CodeActionKind.QuickFix, edit=every))
            found.append(types.CodeAction(title, FIX_ALL, edit=every))
        if self._exact:
            title = "Make all edits that are exact"
            found.append(types.CodeAction(title, FIX_EXACT, edit=self._edit(self._exact)))
        return found + _ignoring(self.uri, self._lines, self._open, shown)

    def _edit(self, numbers: Iterable[int]) -> types.WorkspaceEdit:
        return types.WorkspaceEdit(changes={self.uri: [self._edits[number] for number in numbers]})

    def _find_exact(self) -> list[int]:
        """The hunks whose edits, and those of all that they need, do exactly what the original did."""
        changes = [[each for each in self.migration.changes if hunk.shows(each.line)] for hunk in self.hunks]
        sure = [all(each.safety is Safety.EXACT for each in some) for some in changes]
        taken = [
            set(needed)
            for some, needed in zip(changes, self._needed, strict=True)
            if some and needed and all(sure[number] for number in needed)
        ]
        return sorted(set().union(*taken))


def hover(migration: Migration, line: int) -> types.Hover | None:
    """Why something is said or done at a line, with the evidence."""
    findings: tuple[Note | Change, ...] = (*migration.notes, *migration.changes)
    parts = []
    for each in findings:
        if each.line == line:
            word = each.severity.value if isinstance(each, Note) else each.safety.value
            lines = [f"**{each.rule}** {word}: {each.message}", *([each.advice] if isinstance(each, Note) else [])]
            lines += [f"- {reason}" for reason in each.evidence]
            parts.append("\n\n".join(filter(None, (*lines, f"`tc-migrate explain {each.rule}`"))))
    if not parts:
        return None
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n---\n\n".join(parts)))


def _ignoring(
    uri: str, lines: Sequence[str], open_: Set[int], shown: Sequence[types.Diagnostic]
) -> list[types.CodeAction]:
    """For each rule that speaks of these lines, the comment that silences it. `open_`: those that end in texts."""
    found: list[types.CodeAction] = []
    for each in {(each.code, each.range.start.line): each for each in shown if each.code}.values():
        line = each.range.start.line
        if len(found) == _MOST_IGNORED or line >= len(lines) or line in open_ or lines[line].endswith("\\"):
            continue
        end = types.Position(line, len(lines[line].encode("utf-16-le")) // 2)
        comment = f"  # tc-migrate: ignore[{each.code}]"
        edit = types.WorkspaceEdit(changes={uri: [types.TextEdit(types.Range(end, end), comment)]})
        title = f"Ignore {each.code} in this line"
        found.append(types.CodeAction(title, types.CodeActionKind.QuickFix, [each], edit=edit))
    return found


def _in_texts(source: str) -> Set[int]:
    """The 0-based lines whose ends are inside of a string; all where that cannot be told."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset(range(source.count("\n") + 1))
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr | ast.Constant)]
    return {line for node in texts for line in range(node.lineno - 1, (node.end_lineno or node.lineno) - 1)}


def _overlap(one: types.Range, other: types.Range) -> bool:
    return one.start.line <= other.end.line and other.start.line <= one.end.line


def _of_finding(finding: Note | Change, lines: Sequence[str]) -> types.Diagnostic:
    if isinstance(finding, Note):
        text = f"{finding.message}\n{finding.advice}" if finding.advice else finding.message
        return _diagnostic(finding.line, lines, _SEVERITIES[finding.severity], finding.rule, text)
    review = finding.safety is Safety.REVIEW
    severity = types.DiagnosticSeverity.Information if review else types.DiagnosticSeverity.Hint
    return _diagnostic(finding.line, lines, severity, finding.rule, f"{finding.message} ({finding.safety.value})")


def _diagnostic(
    line: int, lines: Sequence[str], severity: types.DiagnosticSeverity, code: str | None, message: str
) -> types.Diagnostic:
    text = lines[line - 1] if line <= len(lines) else ""
    start = types.Position(line - 1, len(text) - len(text.lstrip()))
    return types.Diagnostic(
        types.Range(start, types.Position(line - 1, _END_OF_LINE)), message, severity, code, source=SOURCE
    )


def _title(migration: Migration, hunk: Hunk, taken: Sequence[int]) -> str:
    said = dict.fromkeys(change.message for change in migration.changes if hunk.shows(change.line))
    title = next(iter(said), "Take this change")
    title += f", and {len(said) - 1} more" if len(said) > 1 else ""
    return title + (" (with what it needs)" if len(taken) > 1 else "")


def _meets(place: types.Range, wanted: types.Range) -> bool:
    return place.start.line <= wanted.end.line and wanted.start.line <= max(place.end.line - 1, place.start.line)


def _new_text(hunk: Hunk) -> str:
    return "".join(line for mark, line in hunk.lines if mark != "-")


def _ranges(source: str, hunks: Sequence[Hunk]) -> list[types.Range]:
    """The lines that each hunk replaces. A hunk's lines end with LF only, an editor's with CR and CR LF too."""
    texts = re.findall(r"[^\n]*\n|[^\n]+", source)
    starts = [0, *accumulate(len(_lines(text)) - 1 for text in texts)]
    last = types.Position(len(_lines(source)) - 1, _END_OF_LINE)
    found = []
    for hunk in hunks:
        stop = hunk.old_start + hunk.old_count
        ends = stop < len(texts) or source.endswith("\n")
        end = types.Position(starts[stop], 0) if ends else last
        found.append(types.Range(types.Position(starts[hunk.old_start], 0), end))
    return found


def _lines(text: str) -> list[str]:
    return re.split("\r\n|\r|\n", text)
