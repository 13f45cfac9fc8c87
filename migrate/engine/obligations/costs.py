"""What makes each iteration dear, though it trains as it should."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.record import COMPILED, COST, ONCE
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison

_SLOW = {
    "waits": (COST, "the host waits here until the device has done all its work, in each iteration"),
    "anomalies": (COST, "each gradient of each operation is read: many executions in each iteration"),
    "rarely executed": (ONCE, "the graphs of several iterations become one before they are executed"),
    "moving number": (COMPILED, "{} takes another number in each iteration: a compilation for each of them"),
    "moving row": (
        COMPILED,
        "batches are put together of rows of a tensor on the device: a compilation for each of them, and one for all "
        "if the data stayed on the host",
    ),
}
_ONCE = ("anomalies", "rarely executed", "moving row")
"""What is said where it is asked for, outside of all loops too."""


def slowed(comparison: Comparison) -> Iterator[Finding]:
    """Waits, checks and numbers of the graph that cost something each time."""
    for kind, (obligation, message) in _SLOW.items():
        loops = {one.loops[-1:] for one in comparison.before.record.of(kind)} if comparison.before else set()
        then = {(site.path, site.line) for some in loops for site in some}
        for event in comparison.after.record.of(kind):
            known = event.loops and comparison.lines.source(event.loops[-1]) in then
            if (event.loops or kind in _ONCE) and not known and not comparison.was_there(event):
                standing = Standing.OPEN if obligation == ONCE else Standing.COST
                yield comparison.finding(
                    obligation, standing, event.site, message.format(event.about), None, event.chain
                )
