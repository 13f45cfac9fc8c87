"""A run as one JSON object, for other programs. `report.schema.json` says what is in it."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any

from codemods.kit.rules import Change, Note, Place
from migrate.aliases import aliases_of
from migrate.render.certificates import Certificates
from migrate.render.entry import Entry, Run
from migrate.render.tally import Tally


class JsonReport:
    """Keys and files in a fixed order, each file written when it is done."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.tally = Tally()
        self.certificates = Certificates()

    def add(self, entry: Entry) -> str:
        """One file."""
        before = ",\n" if self.tally.counts.files else self._head()
        self.tally.add(entry.migration)
        self.certificates.add(entry.migration)
        return before + textwrap.indent(json.dumps(_file(entry), indent=2), "    ")

    def close(self) -> Iterator[str]:
        """The certificates of the programs, and the counts."""
        yield "\n  ],\n" if self.tally.counts.files else self._head().rstrip("\n") + "],\n"
        judged = json.dumps(self.certificates.dicts(), indent=2).replace("\n", "\n  ")
        yield f'  "certificates": {judged},\n'
        yield '  "counts": ' + json.dumps(asdict(self.tally.counts), indent=2).replace("\n", "\n  ") + "\n}\n"

    def _head(self) -> str:
        fields = {"tool": "tc-migrate", "version": self.run.version, "target": self.run.target}
        return json.dumps(fields, indent=2).removesuffix("\n}") + ',\n  "files": [\n'


def _file(entry: Entry) -> dict[str, Any]:
    migration = entry.migration
    return {
        "path": migration.path,
        "status": migration.status.value,
        "reason": migration.reason,
        "diff": entry.patch,
        "changes": [_change(change) for change in _by_line(migration.changes)],
        "notes": [_note(note) for note in _by_line(migration.notes)],
    }


def _place(place: Place | None) -> dict[str, Any]:
    """Where in a notebook; nothing in a script."""
    if place is None:
        return {}
    return {"place": {"cell": place.cell, "execution_count": place.ran, "line": place.line}}


def _change(change: Change) -> dict[str, Any]:
    return {
        "rule": change.rule,
        "aliases": list(aliases_of(change.rule)),
        "line": change.line,
        **_place(change.place),
        "safety": change.safety.value,
        "message": change.message,
        "codemod": change.codemod,
        "evidence": list(change.evidence),
    }


def _note(note: Note) -> dict[str, Any]:
    return {
        "rule": note.rule,
        "aliases": list(aliases_of(note.rule)),
        "line": note.line,
        **_place(note.place),
        "severity": note.severity.value,
        "message": note.message,
        "advice": note.advice,
        "document": note.document,
        "codemod": note.codemod,
        "evidence": list(note.evidence),
    }


def _by_line(found: Iterable[Any]) -> list[Any]:
    return sorted(found, key=lambda finding: (finding.line, finding.rule))
