"""A run as one HTML page: what it comes to, what is left to do, and every file side by side with the reasons."""

from __future__ import annotations

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from migrate.findings import Effort, Finding, findings
from migrate.migration import Status
from migrate.registry import rules
from migrate.render.certificates import Certificates, gravest_first, loop_rows
from migrate.render.charts import AREAS, share_bar, stacked_bars
from migrate.render.entry import Entry, Run
from migrate.render.page import as_data, render_page
from migrate.render.report import EFFORTS, closing_line
from migrate.render.sections import sections
from migrate.render.side_by_side import Pair
from migrate.render.tally import Tally
from migrate.unseen import escape

MOST_RULES = 12
"""Rules in the chart; the filter has all."""
_OPEN = 3
"""Files shown unfolded from the start, when there are no more than these; those a program is named by."""
KINDS = {
    "error": "notes: does not run or train the same until a person acts",
    "warning": "notes: costs speed, or needs a decision",
    "review": "edits that a person should read",
    "exact": "edits that do what the original did",
    "info": "notes: worth knowing",
}


class HtmlReport:
    """Written at the end, as the overview stands first. Until then the files are held compressed."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.tally = Tally()
        self.certificates = Certificates()
        self.files: list[bytes] = []
        self.nothing: list[str] = []
        """Files with nothing to do or to say."""

    def add(self, entry: Entry) -> str:
        """One file."""
        self.tally.add(entry.migration)
        self.certificates.add(entry.migration)
        if entry.hunks or entry.migration.status is not Status.UNCHANGED or findings(entry.migration):
            self.files.append(zlib.compress(_file(entry).encode("utf-8", "replace"), 1))
        else:
            self.nothing.append(entry.name)
        return ""

    def close(self) -> Iterator[str]:
        """The page."""
        return render_page(f"PyTorch/XLA migration, {self.tally.counts.files} files", self._body())

    def _body(self) -> Iterator[str]:
        word = "migrated" if self.run.written else "would be migrated"
        yield header(self.run, "Migration to PyTorch/XLA", closing_line(self.tally.counts, word))
        yield "<main>"
        yield from overview(self.tally)
        yield from _shown(self.certificates)
        yield from self._filters()
        yield f'<div id="files" data-open="{int(len(self.files) <= _OPEN)}">'
        for file in self.files:
            yield zlib.decompress(file).decode()
        yield '</div><p id="none" hidden>No file has what you ask for.</p>'
        if self.nothing:
            yield f'<details class="plain"><summary>{len(self.nothing)} more files with nothing to do</summary><ul>'
            yield from (f"<li>{escape(name)}</li>\n" for name in self.nothing)
            yield "</ul></details>"
        yield "</main>\n"
        yield as_data({rule: _about_rule(rule) for rule, _ in self.tally.rules}, "rules")
        yield "<noscript><p>The diffs need JavaScript; `--format markdown` does not.</p></noscript>"

    def _filters(self) -> Iterator[str]:
        yield '<div class="filters" role="search" aria-label="Filter the files">'
        yield '<input id="text" type="search" placeholder="file or message ( / )" aria-label="File or message">'
        numbers: Counter[str] = Counter()
        for (_, kind), number in self.tally.rules.items():
            numbers[kind] += number
        for kind, about in KINDS.items():
            if numbers[kind]:
                yield f'<button class="chip {kind}" data-kind="{kind}" aria-pressed="false" title="{about}">'
                yield f"{kind} <b>{numbers[kind]}</b></button>"
        yield from _select("rule", "every rule", sorted(self.tally.by_rule))
        yield from _select("status", "every status", [s.value for s in Status if self.tally.status[s]])
        yield '<button id="unfold">Unfold all</button><button id="clear" hidden>Clear</button>'
        yield '<output id="shown" aria-live="polite"></output></div>'


def header(run: Run, title: str, said: str) -> str:
    """What the page is about, in three lines."""
    return (
        f'<header><p class="over">tc-migrate {escape(run.version)} for {escape(run.target)}</p>'
        f"<h1>{escape(title)}</h1><p>{escape(said)}</p>"
        '<button id="theme" title="light or dark">Light / dark</button></header>\n'
    )


def overview(tally: Tally) -> Iterator[str]:
    """How the work divides, and charts of what was found."""
    efforts = {effort: tally.efforts[effort] for effort in EFFORTS}
    if not any(efforts.values()):
        return
    kinds = ("automatic", "automatic"), ("review", "to review"), ("change", "by hand")
    yield '<section class="overview"><div class="card"><h2>What is left to do</h2><p class="shares">'
    for percent, (kind, word) in zip(tally.shares.percents, kinds, strict=True):
        yield f'<span class="{kind}"><b>{percent}%</b> {word}</span>'
    yield f"</p>{share_bar(efforts)}<table class='efforts'>"
    for effort, number in efforts.items():
        yield f'<tr><td><i class="dot fill-{effort.value}"></i>{effort.value}</td>'
        yield f"<td class='number'>{number}</td><td>{EFFORTS[effort]}</td></tr>"
    yield "</table></div>"
    by_rule = tally.by_rule
    most = sorted(by_rule, key=lambda rule: (-by_rule[rule].total(), rule))[:MOST_RULES]
    yield '<div class="card"><h2>Rules found most</h2>'
    yield stacked_bars([(_label(rule), rule, by_rule[rule]) for rule in most], "Findings by rule") + "</div>"
    areas: dict[str, Counter[Effort]] = defaultdict(Counter)
    for rule, numbers in by_rule.items():
        areas[AREAS.get(rule[2:3], "other")].update(numbers)
    rows = [(area, "", areas[area]) for area in (*AREAS.values(), "other") if area in areas]
    yield f'<div class="card"><h2>Parts of the training</h2>{stacked_bars(rows, "Findings by area")}</div></section>\n'


def _shown(certificates: Certificates) -> Iterator[str]:
    """What was shown of each program: its loops, and what does not hold or is open anywhere."""
    telling = certificates.telling
    if not telling:
        return
    yield f'<section class="overview"><div class="card"><h2>What was shown</h2><p>{escape(certificates.line)}</p>'
    for certificate in telling:
        files = ", ".join(certificate.followed[:_OPEN])
        files += f" and {len(certificate.followed) - _OPEN} more" if len(certificate.followed) > _OPEN else ""
        yield f"<h3>{escape(files)}: {escape(certificate.summary)}</h3><table class='efforts'>"
        for loop, kind, standing, rest in loop_rows([certificate]):
            yield f"<tr><td>{escape(loop.path)}:{loop.line}</td><td>{kind}</td><td>{standing}</td>"
            yield f"<td>{escape(rest)}</td></tr>"
        for one in gravest_first((*certificate.violated, *certificate.open)):
            spot = f"{one.path}:{one.line}" if one.path else ""
            yield f"<tr><td>{escape(spot)}</td><td></td><td>{one.standing.value}</td>"
            yield f"<td>{escape(one.message)}</td></tr>"
        yield "</table>"
    yield "</div></section>\n"


def _label(rule: str) -> str:
    known = rules().get(rule)
    return f"{rule} {known[1].replace('_', ' ')}"[:26] if known else rule


def _about_rule(rule: str) -> dict[str, str]:
    known = rules().get(rule)
    return {"summary": known[0].summary, "document": known[0].document, "advice": known[0].advice} if known else {}


def _select(name: str, every: str, options: list[str]) -> Iterator[str]:
    if len(options) > 1:
        yield f'<select id="{name}" aria-label="{name}"><option value="">{every}</option>'
        yield from (f"<option>{option}</option>" for option in options)
        yield "</select>"


# --- one file ---------------------------------------------------------------------------------------------------------


def _file(entry: Entry) -> str:
    """A folded file; the page's script draws the inside when it is unfolded."""
    migration = entry.migration
    found = findings(migration)
    pairs = " ".join(dict.fromkeys(f"{finding.rule}:{finding.kind}" for finding in found))
    numbers = Counter(finding.kind for finding in found)
    badges = "".join(f'<span class="badge {kind}">{numbers[kind]} {kind}</span>' for kind in KINDS if numbers[kind])
    inside = [
        {
            "title": f"{cell.name}, {section.title}" if entry.cells else section.title,
            "rows": [_row(pair) for pair in section.rows],
            "findings": [_finding(finding) for finding in section.findings],
        }
        for cell in entry.cells or [entry]
        for section in sections(cell)
    ]
    return (
        f'<details class="file" data-found="{escape(pairs)}" data-status="{migration.status.value}">'
        f'<summary><span class="status {migration.status.value}">{migration.status.value}</span>'
        f'<span class="name">{escape(entry.name)}</span>{badges}</summary>'
        + (f'<p class="reason">{escape(migration.reason)}</p>' if migration.reason else "")
        + as_data(inside)
        + "</details>\n"
    )


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "line": finding.line,
        "kind": finding.kind,
        "message": finding.message,
        "advice": finding.advice,
        "evidence": finding.evidence,
    }


def _row(pair: Pair) -> list[Any]:
    """`[old, new, text]` for a line that stays, else `[old, text, spans, new, text, spans]` with null for no line."""
    if pair.same and pair.old is not None:
        return [pair.old.number, pair.new.number if pair.new else None, pair.old.text]
    cells: list[Any] = []
    for side in (pair.old, pair.new):
        cells += [side.number, side.text, side.spans] if side else [None, "", ()]
    return cells
