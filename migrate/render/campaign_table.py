"""A campaign for a terminal, or as plain text. Imports rich."""

from __future__ import annotations

from rich.console import Group
from rich.style import Style
from rich.table import Table
from rich.text import Text

from migrate.render.campaign_rows import CampaignReport, CampaignRow
from migrate.render.markdown import clip
from migrate.render.report import in_one_line

_STYLES = {
    "pr": "bold green", "merged": "green", "closed": "dim", "edited": "magenta", "pushed": "cyan", "changes": "yellow",
    "clean": "dim", "skipped": "dim", "queued": "dim", "error": "bold red",
}  # fmt: skip
_LONGEST = 120
"""Characters of a reason; the other reports have all of it."""
_QUIET = ("clean", "skipped", "queued")


def render_table(report: CampaignReport, *, whole: bool) -> Group:
    """The repositories and the line of counts. Unless it is `whole`, those without work are only counted."""
    shown = [row for row in report.sorted if whole or row.standing not in _QUIET]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold", show_edge=False)
    table.add_column("repository", overflow="fold")
    table.add_column("state", no_wrap=True)
    table.add_column("pull request", no_wrap=True)
    table.add_column("work", ratio=1, overflow="fold")
    for row in shown:
        table.add_row(*_cells(row))
    closing = Text(report.closing_line, "bold")
    left = len(report.rows) - len(shown)
    if left:
        closing.append(f"  ({left} without work not listed: --all)", "dim")
    return Group(table, Text(), closing) if shown else Group(closing)


def _cells(row: CampaignRow) -> tuple[Text, ...]:
    said = Text(row.work)
    if row.reason:
        said.append((": " if row.work else "") + in_one_line(clip(row.reason, _LONGEST)), "dim")
    link = Text(row.link, Style(link=row.url) if row.url else "")
    return Text(in_one_line(row.name)), Text(row.standing, _STYLES[row.standing]), link, said
