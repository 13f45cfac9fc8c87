"""What makes each iteration dear, though it trains as it should."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.record import COMPILED, COST, ONCE, Event
from codemods.kit.meaning.values import Site
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.turns import Turns, innermost, loops_of

_SLOW = {
    "waits": (COST, "the host waits here until the device has done all its work, in each iteration"),
    "anomalies": (COST, "each gradient of each operation is read: many executions in each iteration"),
    "rarely executed": (ONCE, "the graphs of several iterations become one before they are executed"),
    "moving number": (COMPILED, "{} takes another number in each iteration: a compilation for each of them"),
    "drawn number": (COMPILED, "{} takes a number that is drawn anew each time: a compilation for each of them"),
    "size read": (COMPILED, "{} takes a size that is on the device: the host waits for it, and compiles each new one"),
    "moving index": (COMPILED, "an index that is another number in each iteration: all that is computed of it is "
                     "compiled for each of them"),
    "moving row": (
        COMPILED,
        "batches are put together of rows of a tensor on the device: a compilation for each of them, and one for all "
        "if the data stayed on the host",
    ),
}
_BY_TURNS = ("moving number", "moving index")
"""What is one graph with all others, in a loop of which no iteration is executed by itself."""
_ONCE = ("anomalies", "rarely executed", "moving row")
"""What is said where it is asked for, outside of all loops too."""


def last_batches(comparison: Comparison) -> Iterator[Finding]:
    """A last batch that is smaller is left out where the original leaves it out."""
    before = comparison.before.record.of("last batch") if comparison.before else ()
    made = [((one.about[0].path, one.about[0].line), one.about[1] is True) for one in before]
    then = {place for place, left_out in made if left_out} - {place for place, left_out in made if not left_out}
    for event in comparison.after.record.of("last batch"):
        site, dropped = event.about
        if dropped in (None, False) and comparison.lines.source(site) in then:
            message = "the last batch may be smaller, and is compiled for itself: the original leaves it out"
            yield comparison.finding(COMPILED, Standing.COST, site, message, None, event.chain)


def slowed(comparison: Comparison) -> Iterator[Finding]:
    """Waits, checks and numbers of the graph that cost something each time."""
    every = loops_of(comparison.after.record.events)
    for kind, (obligation, message) in _SLOW.items():
        loops = {one.loops[-1:] for one in comparison.before.record.of(kind)} if comparison.before else set()
        then = {(site.path, site.line) for some in loops for site in some}
        for event in comparison.after.record.of(kind):
            known = event.loops and comparison.lines.source(event.loops[-1]) in then
            if kind in _BY_TURNS and not _runs_by_turns(every, event, kind):
                continue
            if (event.loops or kind in _ONCE) and not known and not comparison.was_there(event):
                standing = Standing.OPEN if obligation == ONCE else Standing.COST
                yield comparison.finding(
                    obligation, standing, event.site, message.format(event.about), None, event.chain
                )


def _runs_by_turns(every: dict[Site, Turns], event: Event, kind: str) -> bool:
    """Whether the iterations of the loop that an event is in are graphs of their own; by an index, of a network."""
    turns = every.get(event.loops[-1]) if event.loops else None
    if turns is None or (kind == "moving index" and not innermost(turns, "forward")):
        return False
    return any(one.kind == "early read" or (one.kind == "mark" and one.about) for one in turns.events)
