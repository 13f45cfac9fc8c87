"""An analysis as one HTML page, in the style of the report of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from migrate.analysis import Analysis, Place, UsedKernel
from migrate.render.analysis_text import COST_TITLES, chain_lines
from migrate.render.as_html import header, overview
from migrate.render.entry import Run
from migrate.render.page import render_page
from migrate.render.report import EFFORTS, closing_line
from migrate.render.tally import Tally
from migrate.unseen import escape


def render_html(analysis: Analysis, tally: Tally, run: Run) -> Iterator[str]:
    """The whole page."""
    return render_page("PyTorch/XLA migration, analysis", _body(analysis, tally, run))


def _body(analysis: Analysis, tally: Tally, run: Run) -> Iterator[str]:
    yield header(run, "Analysis before a migration to PyTorch/XLA", closing_line(tally.counts, "would be migrated"))
    yield "<main>"
    yield from overview(tally)
    yield '<div class="cards">'
    yield from _card("By hand, the most work first", _manual(analysis))
    yield from _card("CUDA code of the project's own", _kernels(analysis))
    yield from _card("Estimated cost on XLA", _costs(analysis))
    yield from _card("Files", _files(analysis))
    yield "</div></main>\n"


def _card(title: str, rows: Iterable[str]) -> Iterator[str]:
    inside = list(rows)
    if inside:
        yield f'<section class="card"><h2>{escape(title)}</h2>'
        yield from inside
        yield "</section>\n"


def _manual(analysis: Analysis) -> Iterator[str]:
    if analysis.manual:
        yield _table("effort", "where", "rule", "what and what to do")
        for place in analysis.manual:
            effort = place.finding.effort.value
            yield f'<tr><td class="kind"><i class="dot fill-{effort}"></i>{effort}</td>{_cells(place)}</tr>'
        yield "</table>"


def _kernels(analysis: Analysis) -> Iterator[str]:
    if analysis.kernels:
        yield _table("what", "where", "used by")
        yield from map(_kernel, analysis.kernels)
        yield "</table>"
    if analysis.cuda_files:
        names = ", ".join(f"<code>{escape(name)}</code>" for name in analysis.cuda_files[:30])
        yield f"<p>{len(analysis.cuda_files)} CUDA source files: {names}</p>"


def _kernel(used: UsedKernel) -> str:
    kernel = used.kernel
    sources = f"<br><code>{escape(', '.join(kernel.sources))}</code>" if kernel.sources else ""
    chains = "".join(f"<li>{escape(line)}</li>" for line in chain_lines(used))
    where = f"<code>{escape(kernel.file)}:{kernel.line}</code>"
    what = f"{escape(kernel.kind)} <b>{escape(kernel.name)}</b>{sources}"
    return f"<tr><td>{what}</td><td>{where}</td><td><ul class='ways'>{chains}</ul></td></tr>"


def _costs(analysis: Analysis) -> Iterator[str]:
    for cost, title in COST_TITLES.items():
        if analysis.costs[cost]:
            yield f"<h3>{len(analysis.costs[cost])} {title}</h3>" + _table("where", "rule", "what and what to do")
            yield from (f"<tr>{_cells(place)}</tr>" for place in analysis.costs[cost])
            yield "</table>"


def _files(analysis: Analysis) -> Iterator[str]:
    if analysis.files:
        yield _table("file", "status", *(effort.value for effort in EFFORTS))
        for work in analysis.files:
            reason = f"<br>{escape(work.reason)}" if work.reason else ""
            numbers = "".join(f'<td class="number">{work.efforts[effort] or ""}</td>' for effort in EFFORTS)
            status = f'<td><span class="status {work.status.value}">{work.status.value}</span></td>'
            yield f"<tr><td><code>{escape(work.file)}</code>{reason}</td>{status}{numbers}</tr>"
        yield "</table>"


def _table(*headings: str) -> str:
    return f'<table class="findings"><tr>{"".join(f"<th>{heading}</th>" for heading in headings)}</tr>'


def _cells(place: Place) -> str:
    finding = place.finding
    advice = f'<br><span class="advice">{escape(finding.advice)}</span>' if finding.advice else ""
    where = f"<td><code>{escape(place.file)}:{escape(finding.where)}</code></td>"
    return f'{where}<td class="rule">{finding.rule}</td><td>{escape(finding.message)}{advice}</td>'
