"""A check run: what a person should read, at its line, in portions that the forge takes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from migrate.findings import Finding, findings
from migrate.migration import Migration, Status
from migrate.render.markdown import clip

AT_ONCE = 50
"""Annotations of one request."""
MOST = 500
"""Annotations of one check run; what is beyond is counted in its summary."""
_LEVELS = {"error": "failure", "warning": "warning", "review": "warning", "info": "notice"}
"""Exact edits, which nobody has to read, get none."""
_UNSEEN = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


@dataclass(frozen=True)
class Annotation:
    """What is said of one line of a commit."""

    path: str
    line: int
    level: str
    """`failure`, `warning` or `notice`."""
    title: str
    message: str

    def payload(self) -> dict[str, Any]:
        """As the REST interface takes it: plain text, which is shown as it is."""
        return {
            "path": self.path,
            "start_line": self.line,
            "end_line": self.line,
            "annotation_level": self.level,
            "title": clip(_UNSEEN.sub("\N{REPLACEMENT CHARACTER}", self.title), 255),
            "message": clip(_UNSEEN.sub("\N{REPLACEMENT CHARACTER}", self.message), 4_000),
        }


def annotate(migrations: Mapping[str, Migration]) -> tuple[Annotation, ...]:
    """The annotations of all files, errors first; none for a path that cannot be named in JSON."""
    found = [
        annotation
        for path, migration in sorted(migrations.items())
        if path.isprintable()
        for annotation in _of(path, migration)
    ]
    order = list(dict.fromkeys(_LEVELS.values()))
    return tuple(sorted(found, key=lambda each: order.index(each.level)))


def portions(annotations: tuple[Annotation, ...]) -> Iterator[list[dict[str, Any]]]:
    """The annotations, at most `MOST`, as the lists of the requests that report them."""
    shown = annotations[:MOST]
    for start in range(0, len(shown), AT_ONCE):
        yield [annotation.payload() for annotation in shown[start : start + AT_ONCE]]


def _of(path: str, migration: Migration) -> Iterator[Annotation]:
    if migration.status in (Status.SKIPPED, Status.FAILED):
        yield Annotation(path, 1, "warning", f"tc-migrate: {migration.status.value}", migration.reason)
    for finding in findings(migration):
        if finding.kind in _LEVELS:
            title = f"tc-migrate {finding.rule}"
            yield Annotation(path, max(finding.line, 1), _LEVELS[finding.kind], title, _said(finding))


def _said(finding: Finding) -> str:
    message = f"review: {finding.message}" if finding.edited else finding.message
    message = f"{finding.place}: {message}" if finding.place is not None else message
    return f"{message}\n{finding.advice}" if finding.advice else message
