"""A proof for a person at a terminal, the verdict first; plain text where the output is not a terminal.

The only report that needs rich.
"""

from __future__ import annotations

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from migrate.smoke.findings import Finding
from migrate.smoke.judgement import Pair, Proof, Verdict
from migrate.smoke.record import Run
from migrate.smoke.report_rows import Row, choose_rows, list_rows
from migrate.smoke.report_words import (
    comparable_line,
    enclosure_line,
    headline,
    last_lines,
    loss_text,
    modules_line,
    number,
    pair_lines,
)

STYLES = {
    Verdict.PROVED: "bold green",
    Verdict.TROUBLE: "bold yellow",
    Verdict.DIVERGED: "bold red",
    Verdict.UNPROVED: "bold yellow",
    Verdict.COULD_NOT_RUN: "bold magenta",
}


def render_terminal(proof: Proof) -> Group:
    """Everything a person should know, in the order in which they would ask."""
    verdict = proof.verdict
    parts: list[RenderableType] = [
        Text.assemble((f"{proof.script}: ", "bold"), (verdict.value, STYLES[verdict]), ": ", headline(proof))
    ]
    parts += [indent(Text(reason, "red")) for reason in proof.reasons[1:]]
    if proof.modules:
        parts.append(indent(Text(modules_line(proof))))
    for pair in proof.pairs:
        parts += pair_parts(pair)
    if proof.pairs:
        parts.append(Text(""))
        parts += [
            Text(line, "dim") for line in (comparable_line(proof), enclosure_line(proof.pairs[0].migrated)) if line
        ]
    return Group(*parts)


def pair_parts(pair: Pair) -> list[RenderableType]:
    """One pair: what it ran on, step by step, in numbers, what was found, and how a run failed."""
    processes = "1 process" if pair.workers == 1 else f"{pair.workers} processes"
    parts: list[RenderableType] = [Text(""), Text.assemble((processes, "bold"), ": ", pair.backend)]
    rows = choose_rows(list_rows(pair))
    if rows and pair.comparison is not None:
        parts.append(indent(step_table(rows)))
    parts += [indent(Text(line)) for line in pair_lines(pair)]
    if pair.findings:
        parts.append(indent(Text("In the migrated script:")))
    parts += [indent(finding_text(finding)) for finding in pair.findings]
    for name, run in pair.failures:
        parts += failure_parts(name, run)
    return parts


def step_table(rows: list[Row]) -> Table:
    """Losses, their difference and graphs, a line for each of these steps."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    graphs = any(row.graphs for row in rows)
    headings = ["step", "original", "migrated", "difference", *(("compiled", "executed") if graphs else ())]
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    for row in rows:
        cells = [str(row.step), loss_text(row.original), loss_text(row.migrated)]
        cells.append(
            number(row.difference) if row.compared or row.difference is None else f"({number(row.difference)})"
        )
        if graphs:
            cells += [str(row.graphs.compiled), str(row.graphs.executed)] if row.graphs else ["-", "-"]
        table.add_row(*cells, style="bold red" if row.diverges else "")
    return table


def indent(part: RenderableType) -> Padding:
    """A part that belongs to what stands above it."""
    return Padding(part, (0, 0, 0, 2))


def finding_text(finding: Finding) -> Padding:
    """`error train.py:42: ...`."""
    kind, style = ("error", "bold red") if finding.error else ("warning", "yellow")
    site = f" {finding.site}" if finding.site else ""
    return indent(Text.assemble((kind, style), (site, "bold"), f": {finding.text}"))


def failure_parts(name: str, run: Run) -> list[RenderableType]:
    """The end of what a failed run printed."""
    lines = [visible(line) for line in last_lines(run)]
    heading = indent(Text(f"the last lines of {name}:" if lines else f"{name} printed nothing", "bold"))
    return [heading, *(indent(Text(f"| {line}", "dim", overflow="fold")) for line in lines)]


def visible(line: str) -> str:
    """A line of a script, whose escape sequences must not act on the terminal."""
    return "".join(char if char.isprintable() or char == "\t" else "\N{REPLACEMENT CHARACTER}" for char in line)
