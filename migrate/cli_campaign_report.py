"""Where the reports of a campaign go: standard output and files."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

from migrate.campaign.record import Record
from migrate.campaign.report import make_report
from migrate.cli_report_files import check_reports, write_report
from migrate.migration import MigrateError
from migrate.render.campaign_html import render_html
from migrate.render.campaign_json import render_json
from migrate.render.campaign_markdown import render_markdown

_RENDER = {"json": render_json, "markdown": render_markdown, "html": render_html}
_WIDE = 300
"""Columns where there is no terminal: a repository is one line."""
_FORMS = {".json": "json", ".md": "markdown", ".html": "html"}


def check_options(options: dict[str, Any]) -> None:
    """Before any work is done for them. Raises MigrateError for a file that no report can be written to."""
    for path in options["report"]:
        if path.suffix not in _FORMS:
            raise MigrateError(f"--report {path}: known are {', '.join(_FORMS)}")
    check_reports(options["report"])


def write_reports(name: str, records: Sequence[Record], options: dict[str, Any]) -> None:
    """To the files and to standard output. Raises MigrateError for a file that cannot be written."""
    report = make_report(name, records)
    for path in options["report"]:
        write_report(path, [_RENDER[_FORMS[path.suffix]](report)])
    if options["form"] != "table":
        click.echo(_RENDER[options["form"]](report), nl=False)
        return
    from rich.console import Console

    from migrate.render.campaign_table import render_table

    table = render_table(report, whole=options["whole"])
    if sys.stdout.isatty():
        Console(highlight=False).print(table)
        return
    console = Console(highlight=False, width=_WIDE, color_system=None)
    with console.capture() as text:
        console.print(table)
    # rich fills lines up to the width.
    click.echo("\n".join(line.rstrip() for line in text.get().splitlines()))
