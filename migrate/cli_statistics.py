"""`--statistics`: how often each rule spoke, instead of diffs and remarks."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict

import click

from migrate.cli_output import Mode, Outcome, report_trouble, summary
from migrate.registry import rules
from migrate.render.statistics import rule_counts, spoken, statistics_lines


class Statistics:
    """Counts per rule on standard output, as lines or as JSON; troubles and the closing line on standard error."""

    def __init__(self, mode: Mode, debug: bool, as_json: bool) -> None:
        self.mode = mode
        self.debug = debug
        self.as_json = as_json
        self.found: Counter[tuple[str, str]] = Counter()

    def show(self, outcome: Outcome) -> None:
        """Count one file."""
        report_trouble(outcome.migration, self.debug)
        self.found += spoken(outcome.migration)

    def close(self, outcomes: Sequence[Outcome]) -> None:
        """Report the whole run."""
        counts = rule_counts(self.found, rules())
        if self.as_json:
            click.echo(json.dumps([asdict(each) for each in counts], indent=2))
        else:
            for line in statistics_lines(counts):
                click.echo(line)
        click.echo(summary(self.mode, outcomes), err=True)
