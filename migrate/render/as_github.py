"""A run as GitHub Actions workflow commands: what a person should read, at its line in the pull request."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.findings import Finding, findings
from migrate.migration import Status
from migrate.render.entry import Entry, Run
from migrate.render.report import closing_line, in_one_line
from migrate.render.tally import Tally

LEVELS = {"error": "error", "warning": "warning", "review": "warning", "info": "notice"}
"""By kind of finding, gravest first. GitHub shows the first ten of each level of a step; so exact edits, which nobody
has to read, get none."""


class GithubReport:
    """One command a line, gravest first. GitHub takes them from the log of a step."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.tally = Tally()
        self.commands: dict[str, list[str]] = {kind: [] for kind in LEVELS}

    def add(self, entry: Entry) -> str:
        """Take in one file."""
        self.tally.add(entry.migration)
        for kind, command in _commands(entry):
            self.commands[kind].append(command)
        return ""

    def close(self) -> Iterator[str]:
        """What there is to read of all files; the counts, as the last line of the log."""
        for commands in self.commands.values():
            yield from commands
        yield f"tc-migrate: {self.counted}\n"

    @property
    def counted(self) -> str:
        """The files taken in so far, in a few words."""
        return closing_line(self.tally.counts, "migrated" if self.run.written else "would be migrated")


def _commands(entry: Entry) -> Iterator[tuple[str, str]]:
    """Each with the kind of finding that it is about."""
    migration = entry.migration
    if migration.status in (Status.SKIPPED, Status.FAILED):
        where = {"file": entry.name, "title": f"tc-migrate: {migration.status.value}"}
        yield "error", workflow_command("error", where, migration.reason)
    for finding in findings(migration):
        if finding.kind in LEVELS:
            where = {"file": entry.name, "line": str(finding.line), "title": f"tc-migrate {finding.rule}"}
            yield finding.kind, workflow_command(LEVELS[finding.kind], where, _said(finding))


def _said(finding: Finding) -> str:
    message = f"review: {finding.message}" if finding.edited else finding.message
    message = f"{finding.place}: {message}" if finding.place is not None else message
    return f"{message}\n{finding.advice}" if finding.advice else message


def workflow_command(level: str, properties: dict[str, str], message: str) -> str:
    """`::warning file=a.py,line=3::message`, with what would end a property or the command escaped."""
    fields = ",".join(
        f"{name}={_escaped(value).replace(':', '%3A').replace(',', '%2C')}" for name, value in properties.items()
    )
    return f"::{level} {fields}::{_escaped(message)}\n"


def _escaped(text: str) -> str:
    """What a command decodes again. The rest of the control characters would act on the terminal that shows the log."""
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return in_one_line(text)
