"""Where the results of a run go: a pipe, a terminal, reports on standard output and in files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from typing import Protocol

import click

from migrate.cli_report_files import write_report
from migrate.files import SourceFile
from migrate.findings import Finding
from migrate.migration import Migration, Status
from migrate.render.certificates import Certificates
from migrate.render.diff import Hunk, find_hunks
from migrate.render.entry import Entry, Report
from migrate.render.report import closing_line, count, in_one_line, list_remarks, remark_lines


class Mode(Enum):
    """What is done with a migrated file."""

    DIFF = "diff"
    CHECK = "check"
    WRITE = "write"
    INTERACTIVE = "interactive"


TROUBLE = (Status.SKIPPED, Status.FAILED)


@dataclass(frozen=True)
class Outcome:
    """One file of a run."""

    migration: Migration
    file: SourceFile | None = None
    """None when it could not be read."""
    final: str = ""
    """The text to show or write: the migration's result, annotated if asked."""
    piped: bool = False
    """Whether it came from standard input, and goes to standard output."""

    @property
    def changes(self) -> bool:
        """Whether there is something to show or write."""
        return self.file is not None and self.final != self.file.text

    @cached_property
    def hunks(self) -> list[Hunk]:
        """From the file to `final`, with the BOM where the file has one, so that the patch fits its bytes."""
        if self.file is None:
            return []
        bom = self.file.bom.decode()
        return find_hunks(bom + self.file.text, bom + self.final)

    @property
    def remarks(self) -> list[Finding]:
        """The notes and the edits to review."""
        return list_remarks(self.migration)

    @cached_property
    def entry(self) -> Entry:
        """The file as reports show it."""
        return Entry(self.migration, self.name, self.final, self.hunks)

    @property
    def name(self) -> str:
        """The path in a patch: from the current folder when the file is below it, else from the root."""
        if self.migration.path == "-":
            return "stdin"
        path = os.path.abspath(self.migration.path)
        inside = os.path.relpath(path)
        # git refuses a patch with `..` in a path.
        chosen = path if inside.split(os.sep)[0] == os.pardir else inside
        return Path(chosen).as_posix().lstrip("/")

    def failed(self, reason: str) -> Outcome:
        """The same file, left as it was."""
        stayed = replace(
            self.migration,
            status=Status.SKIPPED, result=self.migration.source, changes=(), reason=reason, certificate=None,
        )  # fmt: skip
        return Outcome(stayed, self.file, self.file.text if self.file else "", self.piped)


class Output(Protocol):
    """Somewhere to report to, file by file."""

    def show(self, outcome: Outcome) -> None:
        """Report one file."""

    def close(self, outcomes: Sequence[Outcome]) -> None:
        """Report the whole run."""


class Pipe:
    """Plain text: what was asked for to standard output, everything else to standard error."""

    def __init__(self, mode: Mode, debug: bool) -> None:
        self.mode = mode
        self.debug = debug

    def show(self, outcome: Outcome) -> None:
        """Report one file."""
        if report_trouble(outcome.migration, self.debug):
            return
        if outcome.piped and self.mode is Mode.WRITE:
            if outcome.file is not None:
                _write_bytes(outcome.file.encode(outcome.final))
        elif outcome.changes:
            name = in_one_line(outcome.migration.path)
            _write_bytes(_patch(outcome) if self.mode is Mode.DIFF else os.fsencode(name) + b"\n")
        for line in remark_lines(outcome.migration.path, outcome.remarks):
            click.echo(line, err=True)

    def close(self, outcomes: Sequence[Outcome]) -> None:
        """Report the whole run."""
        click.echo(summary(self.mode, outcomes), err=True)
        if judged := certificate_line(outcomes):
            click.echo(judged, err=True)
        if self.mode is Mode.DIFF and any(outcome.changes and outcome.entry.cells for outcome in outcomes):
            said = "notebooks are shown by cell, for reading: --write writes them, `git apply` passes over them"
            click.echo(said, err=True)


class Printed:
    """A report in one of the formats for programs, on standard output as far as it is done."""

    def __init__(self, report: Report, debug: bool) -> None:
        self.report = report
        self.debug = debug

    def show(self, outcome: Outcome) -> None:
        """Report one file. Its trouble also goes to the person who watches."""
        report_trouble(outcome.migration, self.debug)
        _write_text(self.report.add(outcome.entry))

    def close(self, outcomes: Sequence[Outcome]) -> None:
        """Report the whole run."""
        for part in self.report.close():
            _write_text(part)


class Filed:
    """A report that goes to a file when the run is over: a run that is broken off leaves what was there."""

    def __init__(self, report: Report, path: Path) -> None:
        self.report = report
        self.path = path
        # Open as long as the run is; the system removes it whatever happens.
        self.parts = TemporaryFile("w+", encoding="utf-8", errors="backslashreplace", newline="")  # noqa: SIM115

    def show(self, outcome: Outcome) -> None:
        """Report one file."""
        self.parts.write(self.report.add(outcome.entry))

    def close(self, outcomes: Sequence[Outcome]) -> None:
        """Write the file."""
        self.parts.writelines(self.report.close())
        self.parts.seek(0)
        write_report(self.path, self.parts)


class Several:
    """Some outputs as one."""

    def __init__(self, outputs: Sequence[Output]) -> None:
        self.outputs = outputs

    def show(self, outcome: Outcome) -> None:
        """Report one file to each."""
        for output in self.outputs:
            output.show(outcome)

    def close(self, outcomes: Sequence[Outcome]) -> None:
        """Report the whole run to each."""
        for output in self.outputs:
            output.close(outcomes)


def report_trouble(migration: Migration, debug: bool) -> bool:
    """Say on standard error why a file was left alone; True when that is all there is to say of it."""
    if migration.status is Status.REFUSED:
        click.echo(f"{in_one_line(migration.path)}: refused: {migration.reason}", err=True)
    elif migration.status in TROUBLE:
        click.echo(f"{in_one_line(migration.path)}: {migration.reason}", err=True)
        if debug and migration.traceback:
            click.echo(migration.traceback, err=True)
    return migration.status in TROUBLE


def summary(mode: Mode, outcomes: Sequence[Outcome]) -> str:
    """The closing line of a run."""
    counts = count([outcome.migration for outcome in outcomes])
    would = f"would be {Status.MIGRATED.value}" if mode is Mode.CHECK else Status.MIGRATED.value
    return closing_line(counts, would)


def certificate_line(outcomes: Sequence[Outcome]) -> str:
    """What was shown of the programs of a run; empty when none was judged."""
    return Certificates(outcome.migration for outcome in outcomes).line


def _patch(outcome: Outcome) -> bytes:
    """The diff in the file's own encoding, as only then it applies to the file."""
    entry = outcome.entry
    if outcome.file is None or not entry.shown:
        return b""
    encoding = outcome.file.encoding
    body = "".join(f"{hunk.header}\n{hunk.body}" for hunk in entry.shown)
    return os.fsencode(entry.header) + body.encode(encoding)


def _write_bytes(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def _write_text(text: str) -> None:
    if text:
        _write_bytes(text.encode("utf-8", "backslashreplace"))
