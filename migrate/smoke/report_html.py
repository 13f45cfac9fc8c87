"""A proof as one HTML page that needs nothing else: verdict, loss curves, graphs, findings, how the runs ended."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from migrate.smoke.judgement import Pair, Proof
from migrate.smoke.record import Backend, Run
from migrate.smoke.report_rows import Row, list_rows
from migrate.smoke.report_svg import difference_chart, graph_chart, loss_chart
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
from migrate.unseen import escape

STYLE = Path(__file__).with_name("report.css")


def render_html(proof: Proof, version: str) -> str:
    """The whole page."""
    verdict = proof.verdict
    kind = verdict.name.lower().replace("_", "-")
    title = f"{proof.name}: {verdict.value}"
    body = [
        f'<header class="{kind}"><p class="badge">{verdict.value}</p><h1>{escape(proof.name)}</h1>',
        f"<p>for {escape(proof.target)}: {escape(headline(proof))}</p></header>",
        *reasons(proof),
        *(part for pair in proof.pairs for part in pair_section(pair)),
        *footer(proof, version),
    ]
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="generator" content="tc-migrate">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>\n{STYLE.read_text(encoding='utf-8')}</style>\n</head>\n<body>\n"
        + "\n".join(body)
        + "\n</body>\n</html>\n"
    )


def reasons(proof: Proof) -> Iterator[str]:
    """Why it is not proved; the first stands in the header."""
    if len(proof.reasons) > 1:
        yield "<section><h2>Why</h2><ul>"
        yield from (f"<li>{escape(reason)}</li>" for reason in proof.reasons)
        yield "</ul></section>"


def pair_section(pair: Pair) -> Iterator[str]:
    """One pair: what it ran on, charts, numbers, findings, and all steps folded."""
    rows = list_rows(pair)
    name = "1 process" if pair.workers == 1 else f"{pair.workers} processes"
    predicted = " predicted" if pair.migrated.backend is Backend.STANDIN else " measured"
    yield f'<section><h2>{name}</h2><p class="backend">{escape(pair.backend)}</p>'
    if pair.findings:
        yield '<table class="findings">'
        for finding in pair.findings:
            kind = "error" if finding.error else "warning"
            cells = f'<td class="{kind}">{kind}</td><td><code>{escape(finding.site)}</code></td>'
            yield f"<tr>{cells}<td>{escape(finding.text)}</td></tr>"
        yield "</table>"
    if pair.comparison is not None:
        legend = [("original", "original"), ("migrated", "migrated")]
        yield from figure("Loss by optimizer step", legend, loss_chart(rows))
        legend = [("good", "relative difference"), ("allowed", "allowed")]
        yield from figure("How far the losses are apart", legend, difference_chart(rows))
    legend = [("executed", "executed"), ("compiled", "of them compiled")]
    yield from figure(f"Graphs by optimizer step,{predicted}", legend, graph_chart(rows))
    yield from (f"<p>{escape(line)}</p>" for line in pair_lines(pair))
    for about, run in pair.failures:
        yield from failure(about, run)
    if rows and pair.comparison is not None:
        yield from step_table(rows)
    yield "</section>"


def figure(title: str, legend: list[tuple[str, str]], chart: str) -> Iterator[str]:
    """A chart with its title and a legend; nothing where there was nothing to draw."""
    if chart:
        keys = "".join(f'<span class="key {kind}">{name}</span>' for kind, name in legend)
        yield f"<figure><figcaption><b>{title}</b><span>{keys}</span></figcaption>{chart}</figure>"


def step_table(rows: list[Row]) -> Iterator[str]:
    """Every step, folded."""
    yield "<details><summary>Every step</summary><table class='steps'><thead><tr>"
    yield "".join(f"<th>{name}</th>" for name in ("step", "original", "migrated", "difference", "compiled", "executed"))
    yield "</tr></thead>"
    for row in rows:
        graphs = [str(row.graphs.compiled), str(row.graphs.executed)] if row.graphs else ["-", "-"]
        cells = [str(row.step), loss_text(row.original), loss_text(row.migrated), number(row.difference), *graphs]
        kind = ' class="bad"' if row.diverges else ""
        yield f"<tr{kind}>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
    yield "</table></details>"


def failure(about: str, run: Run) -> Iterator[str]:
    """How a run that did not come to its end ended."""
    lines = escape("\n".join(last_lines(run)) or "it printed nothing")
    yield f"<h3>The last lines of {about}</h3><pre>{lines}</pre>"


def footer(proof: Proof, version: str) -> Iterator[str]:
    """What was made comparable, what held the runs in, and the versions."""
    yield "<footer>"
    if proof.pairs:
        lines = (modules_line(proof), comparable_line(proof), enclosure_line(proof.pairs[0].migrated))
        yield from (f"<p>{escape(line)}</p>" for line in lines if line)
        versions = {
            f"{name} {value}"
            for pair in proof.pairs
            for _, run in pair.runs
            for name, value in run.first.versions.items()
        }
        seconds = sum(run.seconds for pair in proof.pairs for _, run in pair.runs)
        yield f"<p>{escape(', '.join(sorted(versions)))}; {seconds:.0f} s of runs.</p>"
    yield f"<p>tc-migrate {escape(version)} smoke, at most {proof.steps} optimizer steps.</p></footer>"
