"""A run as SARIF 2.1.0, for GitHub code scanning and editors: a result for each finding, an edit with its fix.

GitHub reads the rule, the level, the location and the fingerprint, and takes at most 25,000 results; editors apply the
fixes. The fixes of all edits of a file together are its migration.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from migrate.findings import Finding, findings
from migrate.migration import Status
from migrate.render.blocks import Block, assign, find_blocks
from migrate.render.entry import Entry, Run
from migrate.render.fingerprint import line_hashes
from migrate.render.sarif_rules import describe_rule

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
HOME = "https://pypi.org/project/tc-migrate/"
MOST_RESULTS = 25_000
"""What GitHub takes of one run."""
LEVELS = {"error": "error", "warning": "warning", "review": "warning", "info": "note", "exact": "note"}
_GRAVEST_FIRST = ("error", "warning", "review", "info", "exact")


class SarifReport:
    """One run. The rules stand before the results in the file, so that it is written at the end."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.rules: dict[str, int] = {}
        self.results: dict[str, list[str]] = {kind: [] for kind in _GRAVEST_FIRST}
        """By kind, as text: a report of thousands of files is too large as objects."""
        self.notifications: list[dict[str, Any]] = []

    def add(self, entry: Entry) -> str:
        """One file."""
        migration = entry.migration
        if migration.status in (Status.SKIPPED, Status.FAILED):
            where = {"locations": [{"physicalLocation": {"artifactLocation": _location(entry.name)}}]}
            said = {"level": "error", "message": {"text": f"{migration.status.value}: {migration.reason}"}}
            self.notifications.append(said | where)
        found = findings(migration)
        if found:
            hashes = line_hashes(migration.source)
            edits = assign(find_blocks(entry.hunks), [finding for finding in found if finding.edited])
            for finding in found:
                result = self._result(entry, finding, hashes, edits.get(finding, ()))
                self.results[finding.kind].append(json.dumps(result))
        return ""

    def close(self) -> Iterator[str]:
        """The whole file; of too many results the gravest."""
        results = [result for kind in _GRAVEST_FIRST for result in self.results[kind]]
        left_out = len(results) - MOST_RESULTS
        if left_out > 0:
            text = f"{left_out} of {len(results)} results are left out: edits that need no review, and infos"
            self.notifications.append({"level": "warning", "message": {"text": text}})
        driver = {
            "name": "tc-migrate",
            "semanticVersion": self.run.version,
            "informationUri": HOME,
            "rules": [describe_rule(rule) for rule in self.rules],
        }
        invocation = {"executionSuccessful": True, "toolExecutionNotifications": self.notifications}
        head = {
            "tool": {"driver": driver},
            "automationDetails": {"id": "tc-migrate/"},
            "columnKind": "unicodeCodePoints",
            "invocations": [invocation],
            "properties": {"target": self.run.target},
        }
        yield json.dumps({"$schema": SCHEMA, "version": "2.1.0"}).removesuffix("}") + ', "runs": ['
        yield json.dumps(head).removesuffix("}") + ', "results": [\n'
        yield ",\n".join(results[:MOST_RESULTS])
        yield "\n]}]}\n"

    def _result(self, entry: Entry, finding: Finding, hashes: Sequence[str], blocks: Sequence[Block]) -> dict[str, Any]:
        line = min(max(finding.line, 1), len(hashes))
        result: dict[str, Any] = {
            "ruleId": finding.rule,
            "ruleIndex": self.rules.setdefault(finding.rule, len(self.rules)),
            "level": LEVELS[finding.kind],
            "message": {"text": _said(finding)},
            "locations": [
                {"physicalLocation": {"artifactLocation": _location(entry.name), "region": {"startLine": line}}}
            ],
            "partialFingerprints": {"primaryLocationLineHash": hashes[line - 1]},
            "properties": {"safety": finding.kind if finding.edited else "note", "effort": finding.effort.value},
        }
        if finding.place is not None:
            result["locations"][0]["message"] = {"text": str(finding.place)}
        if finding.evidence:
            result["properties"]["evidence"] = list(finding.evidence)
        if blocks:
            replacements = [_replacement(block) for block in blocks]
            change = {"artifactLocation": _location(entry.name), "replacements": replacements}
            result["fixes"] = [{"description": {"text": finding.message}, "artifactChanges": [change]}]
        return result


def _location(name: str) -> dict[str, str]:
    # A name that is no UTF-8 keeps its bytes, as a URI can.
    return {"uri": quote(name.encode("utf-8", "surrogateescape")), "uriBaseId": "%SRCROOT%"}


def _said(finding: Finding) -> str:
    """The message as a sentence, and what to do."""
    said = finding.message[:1].upper() + finding.message[1:].rstrip(".") + "."
    return f"{said} {finding.advice[:1].upper()}{finding.advice[1:].rstrip('.')}." if finding.advice else said


def _replacement(block: Block) -> dict[str, Any]:
    region = {"startLine": block.start + 1, "startColumn": 1}
    last = block.old[-1] if block.old else ""
    if last and not last.endswith("\n"):
        region |= {"endLine": block.start + len(block.old), "endColumn": len(last) + 1}
    else:
        region |= {"endLine": block.start + len(block.old) + 1, "endColumn": 1}
    text = "".join(block.new).removeprefix("\ufeff") if block.start == 0 else "".join(block.new)
    return {"deletedRegion": region, "insertedContent": {"text": text}}
