"""A migration in the words of the Language Server Protocol: diagnostics, and quick fixes made of hunks. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lsprotocol import types

from codemods.kit.rules import Change, Note, Safety, Severity
from migrate.migration import Migration, Status
from migrate.partial import find_trouble
from migrate.render.diff import Hunk, apply_hunks, find_hunks

SOURCE = "tc-migrate"
FIX_ALL = "source.fixAll.tc-migrate"
"""The kind of the action that migrates the file: an editor can be told to run it on saving."""

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


def actions(uri: str, migration: Migration, wanted: types.Range) -> list[types.CodeAction]:
    """What can be done about these lines: their hunks, and the whole file."""
    source, result = migration.source, migration.result
    hunks = find_hunks(source, result, 0)
    if not hunks:
        return []
    shown = diagnostics(migration)
    found = []
    for hunk in hunks:
        taken = _standing(source, result, hunk, hunks) if _meets(hunk, source, wanted) else []
        if taken and len(taken) < len(hunks):
            edit = _edit(uri, source, taken)
            about = [each for each in shown if hunk.shows(each.range.start.line + 1)]
            found.append(
                types.CodeAction(_title(migration, hunk, taken), types.CodeActionKind.QuickFix, about, edit=edit)
            )
    every = _edit(uri, source, hunks)
    title = f"Migrate this file to {migration.target}"
    found.append(types.CodeAction(title, types.CodeActionKind.QuickFix, edit=every))
    found.append(types.CodeAction(title, FIX_ALL, edit=every))
    return found


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


def _title(migration: Migration, hunk: Hunk, taken: Sequence[Hunk]) -> str:
    said = dict.fromkeys(change.message for change in migration.changes if hunk.shows(change.line))
    title = next(iter(said), "Take this change")
    title += f", and {len(said) - 1} more" if len(said) > 1 else ""
    return title + (" (with what it needs)" if len(taken) > 1 else "")


def _standing(source: str, result: str, hunk: Hunk, hunks: Sequence[Hunk]) -> list[Hunk]:
    """The hunk with as few others as it needs: their imports and definitions. Empty when none stand."""
    if not find_trouble(source, result, apply_hunks(source, [hunk])):
        return [hunk]
    taken = list(hunks)
    for other in reversed(hunks):
        fewer = [each for each in taken if each is not other]
        if other is not hunk and not find_trouble(source, result, apply_hunks(source, fewer)):
            taken = fewer
    return taken


def _meets(hunk: Hunk, source: str, wanted: types.Range) -> bool:
    place = _range(source, hunk)
    return place.start.line <= wanted.end.line and wanted.start.line <= max(place.end.line - 1, place.start.line)


def _edit(uri: str, source: str, hunks: Sequence[Hunk]) -> types.WorkspaceEdit:
    edits = [
        types.TextEdit(_range(source, hunk), "".join(line for mark, line in hunk.lines if mark != "-"))
        for hunk in hunks
    ]
    return types.WorkspaceEdit(changes={uri: edits})


def _range(source: str, hunk: Hunk) -> types.Range:
    """The lines that a hunk replaces. A hunk's lines end with LF only, an editor's with CR and CR LF too."""
    ends = [match.end() for match in re.finditer("\n", source)]
    offsets = [0, *ends]
    start, stop = offsets[hunk.old_start], hunk.old_start + hunk.old_count
    lines = len(_lines(source[:start])) - 1
    if stop < len(offsets):
        return types.Range(types.Position(lines, 0), types.Position(len(_lines(source[: offsets[stop]])) - 1, 0))
    return types.Range(types.Position(lines, 0), types.Position(len(_lines(source)) - 1, _END_OF_LINE))


def _lines(text: str) -> list[str]:
    return re.split("\r\n|\r|\n", text)
