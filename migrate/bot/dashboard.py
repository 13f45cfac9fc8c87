"""The operator's page: one document of HTML without script, in which nothing that came from outside is markup."""

from __future__ import annotations

import base64
import hashlib
import re
import sqlite3
from collections.abc import Iterable, Sequence
from datetime import datetime, timezone

from migrate.bot.overview import Hour, Overview
from migrate.unseen import escape

_STYLE = """\
:root { color-scheme: light dark; --text: #1c2128; --soft: #59636e; --page: #f6f8fa; --card: #fff; --line: #d1d9e0;
  --link: #0b57b0; --good: #176f2c; --bad: #b3261e; --busy: #0b57b0; --wait: #7a5200; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --soft: #9ba6b2; --page: #0f141a; --card: #171d25;
  --line: #323b46; --link: #83b9ff; --good: #5fd07a; --bad: #ff8f87; --busy: #83b9ff; --wait: #e3b341; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 80rem; margin: 0 auto; padding: 1.5rem 1rem 3rem;
  color: var(--text); background: var(--page); font-variant-numeric: tabular-nums; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 1.5rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.05rem; margin: 2rem 0 .5rem; }
header p { margin: .2rem 0; font-weight: 600; }
header .seen { color: var(--soft); font-weight: 400; margin-left: auto; }
.well { color: var(--good); } .ill { color: var(--bad); }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: .75rem; margin: 1rem 0; }
dl div, .scroll, figure { background: var(--card); border: 1px solid var(--line); border-radius: 8px; }
dl div { padding: .6rem 1rem; } dt { font-size: .85rem; color: var(--soft); }
dd { margin: 0; font-size: 1.6rem; line-height: 1.3; }
figure { margin: 0; padding: .6rem 1rem; } figcaption { font-size: .85rem; color: var(--soft); }
svg { display: block; width: 100%; height: 4.5rem; } .bar-done { fill: var(--good); } .bar-dead { fill: var(--bad); }
.axis { stroke: var(--line); }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th:first-child { width: 7rem; } th:nth-child(2) { width: 14rem; }
th, td { text-align: left; padding: .4rem 1rem; border-top: 1px solid var(--line); vertical-align: top; }
thead th { border-top: 0; font-size: .8rem; color: var(--soft); font-weight: 600; }
td { overflow-wrap: break-word; } td:last-child { overflow-wrap: anywhere; min-width: 14rem; }
time { white-space: nowrap; }
.zero { color: var(--soft); } a { color: var(--link); }
.state { border: 1px solid; border-radius: 1rem; padding: 0 .6rem; font-size: .85rem; white-space: nowrap; }
.ready { color: var(--wait); } .running { color: var(--busy); } .done { color: var(--good); }
.dead { color: var(--bad); font-weight: 600; }
pre { white-space: pre-wrap; font-size: .8rem; margin: .4rem 0; } summary { cursor: pointer; }
.none { color: var(--soft); margin: 0; }
"""
_ADDRESS = re.compile(r"https?://[!-~]+")
_PULL = re.compile(r"https?://[^/]+/[^/]+/[^/]+/pull/(\d+)")
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
_LATE = 900.0
"""Seconds that a job may wait before the page says that something is wrong."""


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
        f"<title>tc-migrate</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<header><h1>tc-migrate</h1>{_judge(overview)}"
        f'<p class="seen">{_moment(overview.now)}</p></header>\n'
        f'<dl aria-label="Jobs">{boxes}</dl>\n{_draw(overview.hours)}\n{body}</main>\n</body>\n</html>\n'
    )


def _judge(overview: Overview) -> str:
    """One line: is there anything to do for the operator?"""
    trouble = []
    if overview.unsettled:
        trouble.append(f"{overview.unsettled} given up, not done since")
    if overview.waiting > _LATE:
        trouble.append(f"a job has waited for {_span(overview.waiting)}: are there workers?")
    return f'<p class="ill">{"; ".join(trouble)}</p>' if trouble else '<p class="well">All is well</p>'


def _draw(hours: Sequence[Hour]) -> str:
    """Jobs of each hour of the last day, as bars."""
    most = max((hour.done + hour.dead for hour in hours), default=0)
    bars = []
    for place, hour in enumerate(hours):
        done, dead = (count * 90 / max(most, 1) for count in (hour.done, hour.dead))
        about = f"<title>{_clock(hour.begin)}: {hour.done} done, {hour.dead} given up</title>"
        for name, top, height in (("done", 95 - done, done), ("dead", 95 - done - dead, dead)):
            if height:
                bars.append(
                    f'<rect class="bar-{name}" x="{place * 10 + 1}" width="8" y="{top:.1f}" height="{height:.1f}">'
                    f"{about}</rect>"
                )
    done, dead = sum(hour.done for hour in hours), sum(hour.dead for hour in hours)
    said = f"The last {len(hours)} hours: {done} done, {dead} given up; {most} an hour at most"
    return (
        f'<figure><svg viewBox="0 0 {len(hours) * 10} 96" preserveAspectRatio="none" role="img" aria-label="{said}">'
        f'<line class="axis" x1="0" x2="{len(hours) * 10}" y1="95.5" y2="95.5"/>{"".join(bars)}</svg>'
        f"<figcaption>{said}</figcaption></figure>"
    )


def _sections(overview: Overview) -> Iterable[str]:
    now = overview.now
    yield _table(
        "Failures",
        ("When", "Repository", "What"),
        (
            (
                _time(row["raised"], now),
                _text(row["repository"]),
                ('<span class="state done">done since</span> ' if row["settled"] else "") + _note(row["text"]),
            )
            for row in overview.failures
        ),
    )
    yield _table(
        "Pull requests",
        ("Changed", "Repository", "Pull request", "Last said"),
        (
            (_time(row["changed"], now), _text(row["repository"]), _link(row["pull_request"]), _note(row["note"]))
            for row in overview.pull_requests
        ),
    )
    columns = ("waiting", "running", "done", "dead")
    yield _table(
        "Repositories",
        ("Changed", "Repository", *(_TITLES.get(name, name).capitalize() for name in columns)),
        (
            (_time(row["changed"], now), _text(row["repository"]), *(_number(row[name], name) for name in columns))
            for row in overview.repositories
        ),
    )
    yield _table(
        "Jobs",
        ("Changed", "Repository", "Job", "State", "Attempts", "Last said"),
        (_job(row, now) for row in overview.jobs),
    )


def _job(row: sqlite3.Row, now: float) -> tuple[str, ...]:
    state = row["state"]
    badge = f'<span class="state {escape(state)}">{_text(_TITLES[state])}</span>'
    note = _note(row["note"])
    if state == "ready" and row["not_before"] > now + 1:
        note = f"again in {_span(row['not_before'] - now)}{': ' if note else ''}{note}"
    return (_time(row["changed"], now), _text(row["repository"]), _text(row["kind"]), badge,
            _number(row["attempts"], ""), note)  # fmt: skip


def _table(title: str, names: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Of cells that are HTML already."""
    lines = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>\n" for row in rows]
    if not lines:
        return f'<h2>{escape(title)}</h2>\n<p class="none">None.</p>\n'
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


def _note(note: str) -> str:
    """A line; of several the last, which says what an error was, and the others when asked for."""
    lines = note.strip().splitlines()
    if len(lines) < 2:
        return _text(note)
    return f"<details><summary>{_text(lines[-1])}</summary><pre>{_text(note)}</pre></details>"


def _number(number: int, name: str) -> str:
    kind = "zero" if not number else "dead" if name == "dead" else "some"
    return f'<span class="{kind}">{number}</span>'


def _link(address: str) -> str:
    if not _ADDRESS.fullmatch(address):
        return _text(address)
    pull = _PULL.fullmatch(address)
    return f'<a href="{escape(address)}" rel="noreferrer">{_text(f"#{pull[1]}" if pull else address)}</a>'


def _time(seconds: float, now: float) -> str:
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    ago = "now" if now - seconds < 1 else f"{_span(now - seconds)} ago"
    return f'<time datetime="{moment:%Y-%m-%dT%H:%M:%SZ}" title="{moment:%Y-%m-%d %H:%M:%S} UTC">{ago}</time>'


def _moment(seconds: float) -> str:
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    return f'<time datetime="{moment:%Y-%m-%dT%H:%M:%SZ}">{moment:%Y-%m-%d %H:%M:%S} UTC</time>'


def _clock(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, timezone.utc):%H:%M} UTC"


def _span(seconds: float) -> str:
    for size, name in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{int(seconds // size)} {name}"
    return f"{int(seconds)} s"
