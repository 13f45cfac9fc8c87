"""Where the results of a run go: a pipe, a terminal, or one JSON object."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import Protocol

import click

from migrate.files import SourceFile
from migrate.migration import Migration, Status
from migrate.render.diff import Hunk, file_header, find_hunks
from migrate.render.report import Remark, closing_line, count, list_remarks, remark_lines


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
    def remarks(self) -> list[Remark]:
        """The notes and the edits to review."""
        return list_remarks(self.migration)

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
        stayed = replace(self.migration, status=Status.SKIPPED, result=self.migration.source, changes=(), reason=reason)
        return Outcome(stayed, self.file, self.file.text if self.file else "")


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
        if outcome.migration.path == "-" and self.mode is Mode.WRITE:
            if outcome.file is not None:
                _write_bytes(outcome.file.encode(outcome.final))
        elif outcome.changes:
            _write_bytes(_patch(outcome) if self.mode is Mode.DIFF else os.fsencode(outcome.migration.path) + b"\n")
        for line in remark_lines(outcome.migration.path, outcome.remarks):
            click.echo(line, err=True)

    def close(self, outcomes: Sequence[Outcome]) -> None:
        """Report the whole run."""
        click.echo(summary(self.mode, outcomes), err=True)


class Json:
    """One object on standard output."""

    def __init__(self, target: str, debug: bool) -> None:
        self.target = target
        self.debug = debug

    def show(self, outcome: Outcome) -> None:
        """Report one file: its trouble, for a person who watches; the rest is for `close`."""
        report_trouble(outcome.migration, self.debug)

    def close(self, outcomes: Sequence[Outcome]) -> None:
        """Report the whole run."""
        from migrate import __version__
        from migrate.render.as_json import render_json

        diffs = [(outcome.migration, _patch(outcome).decode("utf-8", "surrogateescape")) for outcome in outcomes]
        click.echo(render_json(__version__, self.target, diffs), nl=False)


def report_trouble(migration: Migration, debug: bool) -> bool:
    """Say on standard error why a file was left alone; True when that is all there is to say of it."""
    if migration.status is Status.REFUSED:
        click.echo(f"{migration.path}: refused: {migration.reason}", err=True)
    elif migration.status in TROUBLE:
        click.echo(f"{migration.path}: {migration.reason}", err=True)
        if debug and migration.traceback:
            click.echo(migration.traceback, err=True)
    return migration.status in TROUBLE


def summary(mode: Mode, outcomes: Sequence[Outcome]) -> str:
    """The closing line of a run."""
    counts = count([outcome.migration for outcome in outcomes])
    would = f"would be {Status.MIGRATED.value}" if mode is Mode.CHECK else Status.MIGRATED.value
    return closing_line(counts, would)


def _patch(outcome: Outcome) -> bytes:
    """The diff in the file's own encoding, as only then it applies to the file."""
    if outcome.file is None or not outcome.hunks:
        return b""
    encoding = outcome.file.encoding
    body = "".join(f"{hunk.header}\n{hunk.body}" for hunk in outcome.hunks)
    return os.fsencode(file_header(outcome.name)) + body.encode(encoding)


def _write_bytes(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
