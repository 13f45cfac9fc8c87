"""A run's results for a person at a terminal. Imports rich, so it is imported only there."""

from __future__ import annotations

from collections.abc import Sequence

import click
from rich.console import Console

from migrate.cli_output import Mode, Outcome, certificate_line, report_trouble, summary
from migrate.migration import Status
from migrate.render.entry import Report
from migrate.render.terminal import analysis_text, certificate_text, closing_text, diff_text, heading, remark_table


class Terminal:
    """Everything on standard output, in colour."""

    def __init__(self, mode: Mode, target: str, debug: bool) -> None:
        self.mode = mode
        self.target = target
        self.debug = debug
        self.console = Console(highlight=False)

    def show(self, outcome: Outcome) -> None:
        """Report one file; nothing of one that has neither changes nor notes."""
        migration = outcome.migration
        if report_trouble(migration, self.debug):
            return
        if outcome.piped and self.mode is Mode.WRITE:
            click.echo(outcome.final, nl=False)
        elif outcome.changes and self.mode is Mode.DIFF:
            self.console.print(heading(migration.path, self.target))
            # A wrapped line could not be copied out of the terminal as a patch.
            self.console.print(diff_text(outcome.entry.header, outcome.entry.shown), soft_wrap=True, end="")
        elif outcome.changes or outcome.remarks:
            self.console.print(heading(migration.path, self._what_happened(outcome)))
        if outcome.remarks:
            self.console.print(remark_table(migration.path, outcome.remarks))

    def close(self, outcomes: Sequence[Outcome]) -> None:
        """Report the whole run, and how to go on from a diff."""
        self.console.print(closing_text(summary(self.mode, outcomes)))
        if judged := certificate_line(outcomes):
            self.console.print(certificate_text(judged))
        if self.mode is Mode.DIFF and any(outcome.changes for outcome in outcomes):
            said = "Nothing is written yet: --write does, -i asks about each hunk, --report x.html shows both sides."
            self.console.print(said, style="dim")

    def _what_happened(self, outcome: Outcome) -> str:
        if not outcome.changes:
            return "nothing to change" if outcome.migration.status is Status.UNCHANGED else "left as it was"
        return "would change" if self.mode is Mode.CHECK else "written"


class TerminalAnalysis:
    """The analysis of a run, in colour, when all files are in."""

    def __init__(self, report: Report, debug: bool) -> None:
        self.report = report
        self.debug = debug

    def show(self, outcome: Outcome) -> None:
        """Take in one file."""
        report_trouble(outcome.migration, self.debug)
        self.report.add(outcome.entry)

    def close(self, outcomes: Sequence[Outcome]) -> None:
        """Report the whole run."""
        Console(highlight=False).print(analysis_text("".join(self.report.close())), end="")
