"""A diagnosis as one JSON object. `doctor.schema.json` says what is in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from migrate.doctor.diagnosis import Diagnosis, Finding
from migrate.doctor.explain import Cause
from migrate.render.doctor_text import Causes

SCHEMA = 1
"""Raised when a key is removed or changes its meaning; new keys do not raise it."""


def render_json(diagnosis: Diagnosis, causes: Causes | None, unread: Sequence[tuple[str, str]], version: str,
                target: str) -> str:  # fmt: skip
    """One object, keys in a fixed order. `unread`: logs that could not be read, with the reason."""
    report = {
        "tool": "tc-migrate",
        "version": version,
        "schema": SCHEMA,
        "target": target,
        "logs": list(diagnosis.logs),
        "unread": [{"log": log, "reason": reason} for log, reason in unread],
        "lines": diagnosis.lines,
        "bytes": diagnosis.bytes,
        "succeeded": diagnosis.succeeded,
        "findings": [
            _finding(finding, None if causes is None else causes.get(finding.failure.id, ()))
            for finding in diagnosis.findings
        ],
        "last_error": None if diagnosis.last_error is None else asdict(diagnosis.last_error),
    }
    return json.dumps(report, indent=2) + "\n"


def _finding(finding: Finding, causes: Sequence[Cause] | None) -> dict[str, Any]:
    failure = finding.failure
    return {
        "id": failure.id,
        "summary": failure.summary,
        "certainty": failure.certainty.value,
        "harmless": failure.harmless,
        "log": finding.log,
        "line": finding.line or None,
        "text": finding.text,
        "hint": finding.hint,
        "count": finding.count,
        "count_is_exact": not finding.is_counted_out,
        "ranks": list(finding.ranks),
        "hosts": list(finding.hosts),
        "follows": list(finding.causes),
        "diagnosis": failure.diagnosis,
        "remedy": failure.remedy,
        "document": failure.document,
        "rules": list(failure.rules),
        "explained_by": None if causes is None else [asdict(cause) for cause in causes],
    }
