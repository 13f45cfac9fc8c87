"""An analysis as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from migrate.analysis import Analysis, UsedKernel
from migrate.callers import Use
from migrate.costs import Cost
from migrate.render.report import EFFORTS, closing_line
from migrate.render.tally import Tally

COST_TITLES = {
    Cost.SYNC: "wait for the device in every step",
    Cost.SELDOM: "wait for the device now and then",
    Cost.COMPILATION: "one more compilation each",
    Cost.COMPILATIONS: "compiled again for each new shape or value",
}
TOP_LEVEL = "top level"


def render_text(analysis: Analysis, tally: Tally) -> str:
    """All of it, the gravest first."""
    parts = (_shares(analysis, tally), _files(analysis), _manual(analysis), _kernels(analysis), _costs(analysis))
    return "\n".join(line for part in parts for line in part) + "\n"


def _shares(analysis: Analysis, tally: Tally) -> Iterator[str]:
    automatic, review, manual = tally.shares.percents
    yield f"{closing_line(tally.counts, 'would be migrated')} for {analysis.target}"
    yield ""
    yield f"  {automatic:4}% automatic   {review}% to review   {manual}% by hand"
    yield ""
    for effort, about in EFFORTS.items():
        yield f"  {tally.efforts[effort]:5}  {effort.value:<10} {about}"


def _files(analysis: Analysis) -> Iterator[str]:
    if analysis.files:
        yield ""
        yield "files"
        yield "  " + " ".join(f"{effort.value:>9}" for effort in EFFORTS) + "  status     file"
    for work in analysis.files:
        numbers = " ".join(f"{work.efforts[effort] or '.':>9}" for effort in EFFORTS)
        reason = f": {work.reason}" if work.reason else ""
        yield f"  {numbers}  {work.status.value:<9}  {work.file}{reason}"


def _manual(analysis: Analysis) -> Iterator[str]:
    if analysis.manual:
        yield ""
        yield "by hand"
    for place in analysis.manual:
        finding = place.finding
        yield f"  {finding.effort.value:<8}  {place.file}:{finding.where}: {finding.rule} {finding.message}"
        if finding.advice:
            yield f"            {finding.advice}"


def _kernels(analysis: Analysis) -> Iterator[str]:
    if analysis.kernels or analysis.cuda_files:
        yield ""
        yield "CUDA code of the project's own"
    for used in analysis.kernels:
        kernel = used.kernel
        sources = f" from {', '.join(kernel.sources)}" if kernel.sources else ""
        yield f"  {kernel.kind} {kernel.name or '?'} ({kernel.file}:{kernel.line}){sources}"
        yield from (f"    used by {line}" for line in chain_lines(used))
    if analysis.cuda_files:
        yield f"  {len(analysis.cuda_files)} CUDA source files: {', '.join(analysis.cuda_files[:10])}" + (
            ", ..." if len(analysis.cuda_files) > 10 else ""
        )


def _costs(analysis: Analysis) -> Iterator[str]:
    yield ""
    yield "estimated cost on XLA, of the migrated scripts"
    said = False
    for cost, title in COST_TITLES.items():
        places = analysis.costs[cost]
        if places:
            said = True
            yield f"  {len(places):5}  {title}"
            yield from (f"           {p.file}:{p.finding.where}: {p.finding.rule} {p.finding.message}" for p in places)
    if not said:
        yield "  nothing known beyond the compilations of the first steps"


def chain_lines(used: UsedKernel) -> list[str]:
    """How a kernel is reached, a line for each way."""
    return [" <- ".join(_use(use) for use in chain) for chain in used.chains] or ["nothing that was found"]


def _use(use: Use) -> str:
    return f"{use.name or TOP_LEVEL} ({use.file}:{use.line})"
