"""A campaign as one HTML page, which needs no script, no network and no other file."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from migrate.render.campaign_rows import STANDINGS, CampaignReport, CampaignRow
from migrate.render.report import in_one_line
from migrate.unseen import escape

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_FOLDED = ("clean", "skipped", "queued")
"""Long lists that seldom anybody reads."""


def render_html(report: CampaignReport) -> str:
    """The page."""
    return "".join(_page(report))


def _page(report: CampaignReport) -> Iterator[str]:
    style = Path(__file__).with_name("campaign.css").read_text(encoding="utf-8")
    title = escape(f"Campaign {report.name}")
    yield (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="generator" content="tc-migrate">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{title}</title>\n<style>\n{style}</style>\n</head>\n<body>\n"
        f'<header><p class="over">tc-migrate {escape(report.version)}</p><h1>{title}</h1>'
        f"<p>{escape(report.closing_line)}</p></header>\n"
    )
    counts = {standing: number for standing, number in report.counts.items() if number}
    yield '<ul class="numbers">\n'
    for standing, number in counts.items():
        yield f'<li class="{standing}"><a href="#{standing}"><b>{number:,}</b>{standing}</a></li>\n'
    yield "</ul>\n"
    for standing, rows in groupby(report.sorted, key=lambda row: row.standing):
        yield from _section(standing, list(rows))
    yield "</body>\n</html>\n"


def _section(standing: str, rows: list[CampaignRow]) -> Iterator[str]:
    is_open = "" if standing in _FOLDED and len(rows) > 10 else " open"
    yield (
        f'<details class="{standing}" id="{standing}"{is_open}><summary><i></i>{len(rows):,} {standing} '
        f'<span>{STANDINGS[standing]}</span></summary>\n<div class="scroll"><table>\n'
        "<tr><th>repository</th><th>pull request</th><th>work</th><th class='number'>seconds</th></tr>\n"
    )
    yield from map(_row, rows)
    yield "</table></div></details>\n"


def _row(row: CampaignRow) -> str:
    link = f'<a href="{escape(row.url)}">{row.link}</a>' if row.url.startswith("http") else row.link
    kind = f"{row.error}: " if row.error else ""
    why = f"<small>{escape(in_one_line(kind + row.reason))}</small>" if row.reason else ""
    name = escape(in_one_line(row.name))
    return f'<tr><td>{name}</td><td>{link}</td><td>{row.work}{why}</td><td class="number">{row.seconds:.1f}</td></tr>\n'
