"""A proof in Markdown, for the body of a pull request: verdict and numbers in sight, the rest folded."""

from __future__ import annotations

import html
from collections.abc import Iterator

from migrate.smoke.judgement import Pair, Proof, Verdict
from migrate.smoke.record import Backend
from migrate.smoke.report_rows import choose_rows, list_rows
from migrate.smoke.report_words import (
    backend_lines,
    comparable_line,
    enclosure_line,
    headline,
    last_lines,
    loss_text,
    modules_line,
    number,
    pair_lines,
)

MARKS = {
    Verdict.PROVED: "✅ proved",
    Verdict.TROUBLE: "⚠️ trouble",
    Verdict.DIVERGED: "❌ diverged",
    Verdict.UNPROVED: "⚠️ not proved",
    Verdict.COULD_NOT_RUN: "⛔ could not run",
}


def render_markdown(proof: Proof) -> str:
    """A few lines, then details that unfold."""
    lines = [f"**{MARKS[proof.verdict]}** {code(proof.name)} for `{proof.target}`: {escape(headline(proof))}", ""]
    lines += [f"- {escape(line)}" for line in (*backend_lines(proof), modules_line(proof)) if line]
    for pair in proof.pairs:
        lines += [
            f"- {'**error**' if finding.error else 'warning'} {code(finding.site) if finding.site else ''}: "
            f"{escape(finding.text)}".replace(" :", ":")
            for finding in pair.findings
        ]
    for pair in proof.pairs:
        lines += ["", *fold(pair)]
    if proof.pairs:
        notes = [escape(line) for line in (comparable_line(proof), enclosure_line(proof.pairs[0].migrated)) if line]
        lines += ["", f"<sub>{' '.join(notes)}</sub>"] if notes else []
    return "\n".join(lines) + "\n"


def fold(pair: Pair) -> Iterator[str]:
    """The numbers of one pair, folded."""
    processes = "1 process" if pair.workers == 1 else f"{pair.workers} processes"
    yield f"<details><summary>Step by step, {processes}</summary>"
    yield ""
    yield from table(pair)
    yield ""
    yield from (f"{escape(line)}<br>" for line in pair_lines(pair))
    for name, run in pair.failures:
        yield f"\nThe last lines of {name}:\n"
        yield from ("<pre>", *(html.escape(line) for line in last_lines(run)), "</pre>")
    yield "</details>"


def table(pair: Pair) -> Iterator[str]:
    """Losses and graphs of a few steps."""
    rows = choose_rows(list_rows(pair))
    if not rows:
        return
    graphs = any(row.graphs for row in rows)
    predicted = " (predicted)" if pair.migrated.backend is Backend.STANDIN else ""
    headings = ["step", "original", "migrated", "difference"]
    headings += [f"compiled{predicted}", f"executed{predicted}"] if graphs else []
    yield f"| {' | '.join(headings)} |"
    yield "|" + "---:|" * len(headings)
    for row in rows:
        cells = [str(row.step), loss_text(row.original), loss_text(row.migrated), number(row.difference)]
        if graphs:
            cells += [str(row.graphs.compiled), str(row.graphs.executed)] if row.graphs else ["-", "-"]
        yield f"| {' | '.join(f'**{cell}**' if row.diverges else cell for cell in cells)} |"


def code(text: str) -> str:
    """Text in a code span, whatever it holds."""
    fence = "``" if "`" in text else "`"
    return f"{fence}{text}{fence}"


def escape(text: str) -> str:
    """Text that Markdown and HTML leave as it is."""
    text = html.escape(text, quote=False)
    return "".join(f"\\{char}" if char in "\\`*_[]|#~" else char for char in text)
