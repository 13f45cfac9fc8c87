"""A run as one JSON object, for other programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from codemods.kit.rules import Change, Note
from migrate.migration import Migration
from migrate.render.report import count


def render_json(version: str, target: str, files: Sequence[tuple[Migration, str]]) -> str:
    """One object, keys and files in a fixed order. `files`: each migration with its diff."""
    report = {
        "tool": "tc-migrate",
        "version": version,
        "target": target,
        "files": [_file(migration, diff) for migration, diff in files],
        "counts": asdict(count([migration for migration, _ in files])),
    }
    return json.dumps(report, indent=2) + "\n"


def _file(migration: Migration, diff: str) -> dict[str, Any]:
    return {
        "path": migration.path,
        "status": migration.status.value,
        "reason": migration.reason,
        "diff": diff,
        "changes": [_change(change) for change in _by_line(migration.changes)],
        "notes": [_note(note) for note in _by_line(migration.notes)],
    }


def _change(change: Change) -> dict[str, Any]:
    return {
        "rule": change.rule,
        "line": change.line,
        "safety": change.safety.value,
        "message": change.message,
        "codemod": change.codemod,
        "evidence": list(change.evidence),
    }


def _note(note: Note) -> dict[str, Any]:
    return {
        "rule": note.rule,
        "line": note.line,
        "severity": note.severity.value,
        "message": note.message,
        "advice": note.advice,
        "document": note.document,
        "codemod": note.codemod,
        "evidence": list(note.evidence),
    }


def _by_line(findings: Iterable[Any]) -> list[Any]:
    return sorted(findings, key=lambda finding: (finding.line, finding.rule))
