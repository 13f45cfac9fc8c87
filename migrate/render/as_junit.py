"""A run as JUnit XML, which every CI server shows: a test case for each file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from migrate.findings import findings
from migrate.migration import Status
from migrate.render.entry import Entry, Run
from migrate.render.report import remark_lines

# What XML 1.0 cannot hold, escaped or not.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class JunitReport:
    """A case fails for notes of severity `error`, errs when the file failed, and is skipped when it could not be read.

    Warnings and edits to review are its output. The numbers stand before the cases in the file, so that it is written
    at the end.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self.cases: list[str] = []
        self.failures = self.errors = self.skipped = 0

    def add(self, entry: Entry) -> str:
        """One file."""
        migration = entry.migration
        found = findings(migration)
        grave = list(remark_lines(entry.name, [finding for finding in found if finding.kind == "error"]))
        other = list(remark_lines(entry.name, [f for f in found if f.kind in ("warning", "review", "info")]))
        inside = ""
        if migration.status is Status.FAILED:
            self.errors += 1
            inside += _element("error", migration.reason, migration.traceback)
        elif migration.status is Status.SKIPPED:
            self.skipped += 1
            inside += _element("skipped", migration.reason, "")
        elif grave or migration.status is Status.REFUSED:
            self.failures += 1
            inside += _element("failure", migration.reason or grave[0], "\n".join(grave))
        if other:
            inside += f"      <system-out>{_text(chr(10).join(other))}</system-out>\n"
        opening = f'    <testcase classname="tc-migrate" name={_attribute(entry.name)}'
        self.cases.append(f'{opening} time="0">\n{inside}    </testcase>\n' if inside else f'{opening} time="0"/>\n')
        return ""

    def close(self) -> Iterator[str]:
        """The whole file."""
        numbers = f'tests="{len(self.cases)}" failures="{self.failures}" errors="{self.errors}"'
        name = f"name={_attribute(f'tc-migrate for {self.run.target}')}"
        yield f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="tc-migrate" {numbers}>\n'
        yield f'  <testsuite {name} {numbers} skipped="{self.skipped}" time="0">\n'
        yield from self.cases
        yield "  </testsuite>\n</testsuites>\n"


def _element(kind: str, message: str, body: str) -> str:
    return f"      <{kind} message={_attribute(message)}>{_text(body)}</{kind}>\n"


def _text(text: str) -> str:
    return escape(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text))


def _attribute(text: str) -> str:
    return quoteattr(_FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text))
