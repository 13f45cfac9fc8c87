"""The operator's page: one document of HTML without script, in which nothing that came from outside is markup."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from datetime import datetime, timezone
from html import escape

from migrate.bot.overview import Overview

_STYLE = """\
body { font: 15px/1.5 system-ui, sans-serif; max-width: 75rem; margin: 2rem auto; padding: 0 1rem;
  color: #1c1e21; background: #fff; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
dl { display: flex; flex-wrap: wrap; gap: 1rem; } dl div { border: 1px solid #8a8d91; border-radius: 6px;
  padding: .5rem 1rem; } dt { font-size: .85rem; } dd { margin: 0; font-size: 1.4rem; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; padding: .3rem .8rem .3rem 0; border-bottom: 1px solid #c8cacd; vertical-align: top; }
td { overflow-wrap: anywhere; } .dead { color: #a40e0e; font-weight: 600; } a { color: #0b57b0; }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #16181b; } .dead { color: #ff8f87; }
  a { color: #83b9ff; } }
"""
_ADDRESS = re.compile(r"https?://[!-~]+")
_DIGEST = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
HEADERS = {
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_DIGEST}'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""To be sent with the page: a browser then runs no script and loads nothing, whatever the page contains."""
_TITLES = {"ready": "waiting", "running": "running", "done": "done", "dead": "given up"}


def write_page(overview: Overview) -> str:
    """The whole document."""
    numbers = [(_TITLES[state], number) for state, number in overview.states.items()]
    numbers += [("deliveries", overview.deliveries), ("alerts", overview.alerts)]
    boxes = "".join(f"<div><dt>{escape(name)}</dt><dd>{number}</dd></div>" for name, number in numbers)
    body = "".join(_sections(overview))
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="refresh" content="60">\n'
        f"<title>tc-migrate</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n<h1>tc-migrate</h1>\n"
        f'<dl aria-label="Jobs">{boxes}</dl>\n{body}</main>\n</body>\n</html>\n'
    )


def _sections(overview: Overview) -> Iterable[str]:
    yield _table(
        "Failures",
        ("When", "Repository", "What"),
        ((_time(row["raised"]), _text(row["repository"]), _text(row["text"])) for row in overview.failures),
    )
    yield _table(
        "Pull requests",
        ("Changed", "Repository", "Pull request", "Last said"),
        (
            (_time(row["changed"]), _text(row["repository"]), _link(row["pull_request"]), _text(row["note"]))
            for row in overview.pull_requests
        ),
    )
    columns = ("waiting", "running", "done", "dead")
    yield _table(
        "Repositories",
        ("Changed", "Repository", *(_TITLES.get(name, name).capitalize() for name in columns)),
        (
            (_time(row["changed"]), _text(row["repository"]), *(_text(row[name]) for name in columns))
            for row in overview.repositories
        ),
    )
    yield _table(
        "Jobs",
        ("Changed", "Repository", "Job", "State", "Attempts", "Last said"),
        (
            (
                _time(row["changed"]),
                _text(row["repository"]),
                _text(row["kind"]),
                f'<span class="{escape(row["state"])}">{_text(_TITLES[row["state"]])}</span>',
                _text(row["attempts"]),
                _text(row["note"]),
            )
            for row in overview.jobs
        ),
    )


def _table(title: str, names: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Of cells that are HTML already."""
    lines = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows]
    if not lines:
        return f"<h2>{escape(title)}</h2>\n<p>None.</p>\n"
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    rest = "".join(lines)
    return (
        f'<h2>{escape(title)}</h2>\n<div class="scroll" tabindex="0" role="region" aria-label="{escape(title)}">'
        f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rest}</tbody>\n</table></div>\n"
    )


def _text(value: object) -> str:
    """A cell that says what it says: characters that steer a terminal or turn the direction of text are shown."""
    text = "".join(char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in str(value))
    return escape(text)


def _link(address: str) -> str:
    if not _ADDRESS.fullmatch(address):
        return _text(address)
    return f'<a href="{escape(address)}" rel="noreferrer">{_text(address)}</a>'


def _time(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    return f'<time datetime="{moment:%Y-%m-%dT%H:%M:%SZ}">{moment:%Y-%m-%d %H:%M:%S} UTC</time>'
