"""What the original ran on CUDA runs on the accelerator."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.record import MEETING
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison, Made
from migrate.engine.obligations.kinds import REACHED


def placed(comparison: Comparison) -> Iterator[Finding]:
    """What the original trained on CUDA is not trained on the host."""
    if comparison.before is None:
        return
    there = {(one.site.path, one.site.line) for one in comparison.before.record.of("on host")}
    trained = comparison.said_before("backward")
    for event in comparison.after.record.of("on host"):
        source = comparison.lines.source(event.site)
        if event.about == "backward" and source in trained and source not in there:
            message = "the original trains this on CUDA; here it is trained on the host"
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message, None, event.chain)


def stepped_there(comparison: Comparison) -> Iterator[Finding]:
    """What the original steps on CUDA is nowhere but on the accelerator, whatever a condition says."""
    then = [event.about[2] for event in comparison.before.record.of("stepped")] if comparison.before else []
    if all(places <= {"cpu"} for places in then):  # what is not known may be CUDA
        return
    for event in comparison.after.record.of("stepped"):
        where = event.about[2]
        if where and where <= {"cpu", "cuda"} and len(where) > 1:
            message = "this is trained on CUDA or on the host, and never on the accelerator"
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message, event.about[0], event.chain)


def moved(comparison: Comparison) -> Iterator[Finding]:
    """A network that is handed in, and that the original moves before it runs it, is moved here as well."""
    before: dict[Made, set[str]] = {}
    for event in comparison.before.record.of("run") if comparison.before else ():
        for site, kind in event.about:
            before.setdefault((site.path, site.line, site.function), set()).add(kind)
    for event in comparison.after.record.of("run"):
        for site, kind in sorted(event.about, key=str):
            if kind == "anywhere" and before.get(comparison.made(site)) == {"cuda"}:
                message = "the original moves this network before it runs it; here nothing does"
                yield comparison.finding(MEETING, Standing.OPEN, event.site, message, site, event.chain)
