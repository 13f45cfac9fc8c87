"""As much is trained as in the original: its loops go round as often, and nothing of what they learned is lost."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.partings import Rounds
from codemods.kit.meaning.record import Event
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison, Place
from migrate.engine.obligations.averaging import trains_in_parallel
from migrate.engine.obligations.kinds import REACHED


def gone_round(comparison: Comparison) -> Iterator[Finding]:
    """A loop that trains goes through all that it goes through in the original."""
    if comparison.before is None:
        return
    then: dict[Place, Rounds] = {}
    for event in comparison.before.record.of("rounds"):
        place = (event.site.path, event.site.line)
        then[place] = then.get(place, Rounds()) | event.about
    training = comparison.after.record.loops_with("backward", "step")
    left = comparison.said_before("once")
    for event in [one for one in comparison.after.record.events if one.kind in ("rounds", "once")]:
        place = comparison.lines.source(event.site)
        message = ""
        if event.kind == "rounds" and place in then:
            message = _shortened(then[place], event.about)
        elif event.kind == "once" and place in then and place not in left:
            message = "this is left in its first iteration; the original's goes on"
        if message and event.site in training:
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message, None, event.chain)


def _shortened(then: Rounds, now: Rounds) -> str:
    if now.cut and not then.cut:
        return "this loop is cut short: the original goes through all of its batches"
    fixed = now.ranges - then.ranges - {None}
    if fixed and then.ranges and None not in now.ranges:
        return f"this goes up to {min(fixed)} only because it is written so: the original goes on as it is told"
    return ""


def added_up(comparison: Comparison) -> Iterator[Finding]:
    """Gradients of several batches that the original adds up are added up."""
    if comparison.before is None or comparison.after.spent:
        return
    then = _places([one for one in comparison.before.called if one.kind == "adds"])
    now = [one for one in comparison.after.called if one.kind == "adds"]
    adding = {one.site for one in now if one.about}
    for event in {one.site: one for one in now if one.site not in adding and one.loops}.values():
        if comparison.lines.source(event.site) in then:
            message = "the original adds up the gradients of several batches; here they are cleared before each"
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message, None, event.chain)


def _places(events: list[Event]) -> set[Place]:
    return {(one.site.path, one.site.line) for one in events if one.about}


def overwritten(comparison: Comparison) -> Iterator[Finding]:
    """Nothing is loaded over the weights in a loop that trains, where the original loads nothing."""
    if comparison.before is None:
        return
    training = comparison.after.record.loops_with("backward", "step")
    then = {(loop.path, loop.line) for loop in comparison.before.record.loops_with("load state")}
    for event in comparison.after.record.of("load state"):
        if any(loop in training and comparison.lines.source(loop) not in then for loop in event.loops):
            message = "each iteration of the loop that trains loads other values over what was learned"
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message, None, event.chain)


def one_process(comparison: Comparison) -> Iterator[Finding]:
    """Several processes are started where the original trained on several devices."""
    if comparison.before is not None and trains_in_parallel(comparison.before):
        for event in comparison.after.record.of("one process"):
            message = "one process is started here; the original trains on several devices"
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message)
