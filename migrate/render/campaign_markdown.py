"""A campaign in Markdown: a line of counts and a table."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.render.campaign_rows import CampaignReport, CampaignRow
from migrate.render.markdown import clip, code, escape

_LONGEST = 300


def render_markdown(report: CampaignReport) -> str:
    """The whole report; the names of repositories and what failed are no markup in it."""
    return "".join(_lines(report))


def _lines(report: CampaignReport) -> Iterator[str]:
    yield f"# Campaign {escape(report.name)}\n\n**{report.closing_line}**, by tc-migrate {report.version}.\n\n"
    if report.rows:
        yield "| repository | state | pull request | work | why |\n|---|---|---|---|---|\n"
    yield from map(_row, report.sorted)


def _row(row: CampaignRow) -> str:
    link = f"[{row.link}]({row.url})" if row.url else row.link
    why = escape(clip(row.reason, _LONGEST))
    kind = f" ({row.error})" if row.error else ""
    return f"| {code(row.name)} | {row.standing}{kind} | {link} | {row.work} | {why} |\n"
