"""The formats of reports by name. Each is imported when it is asked for: a diff on a terminal needs none."""

from __future__ import annotations

import importlib
from pathlib import PurePath

from migrate.render.entry import Report, Run

FORMATS = {
    "json": "migrate.render.as_json.JsonReport",
    "sarif": "migrate.render.as_sarif.SarifReport",
    "markdown": "migrate.render.as_markdown.MarkdownReport",
    "html": "migrate.render.as_html.HtmlReport",
    "junit": "migrate.render.as_junit.JunitReport",
    "github": "migrate.render.as_github.GithubReport",
}
SUFFIXES = {".json": "json", ".sarif": "sarif", ".md": "markdown", ".html": "html", ".htm": "html", ".xml": "junit"}


def open_report(form: str, run: Run) -> Report:
    """An empty report of a format."""
    module, _, name = FORMATS[form].rpartition(".")
    report: Report = getattr(importlib.import_module(module), name)(run)
    return report


def parse_destination(text: str) -> tuple[str, str]:
    """The format and the file that `sarif=out.json` or `report.html` names. Raises ValueError for no format."""
    form, equals, file = text.partition("=")
    if equals and form in FORMATS and file:
        return form, file
    known = SUFFIXES.get(PurePath(text).suffix.lower())
    if known is None:
        raise ValueError(f"{text!r} names no format: write FORMAT=FILE, with one of {', '.join(FORMATS)}")
    return known, text
