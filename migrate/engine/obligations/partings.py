"""All processes go the same way: none leaves a loop, ends, or goes round more often while the others wait for it."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.execution import Execution
from codemods.kit.meaning.partings import CHANCE
from codemods.kit.meaning.record import TOGETHER, Event
from codemods.kit.meaning.values import DRAWN, LOCAL, NO_TAINTS, OWN, RANK, Taints
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.training import unseen

_MEET = ("step", "collective")
"""What all processes come to together."""
_WHY = {RANK: "the rank", OWN: "what each process asks its own clock or files", DRAWN: "chance", LOCAL: "its own data"}


def parted(comparison: Comparison) -> Iterator[Finding]:
    """What the original did alike in all processes is done alike."""
    if comparison.before is not None and comparison.after.several:
        yield from _rounds(comparison)
        yield from _ways_out(comparison)
        yield from _by_chance(comparison)
        yield from _swallowed(comparison)
        yield from _other_weights(comparison)
        yield from _other_rates(comparison)


def _rounds(comparison: Comparison) -> Iterator[Finding]:
    """A loop in which processes meet goes round as often in each of them."""
    meeting = comparison.after.record.loops_with(*_MEET)
    before = {(one.site.path, one.site.line): one.about.taints for one in _of(comparison.before, "rounds")}
    for event in comparison.after.record.of("rounds"):
        new = event.about.taints & (CHANCE | {RANK, LOCAL}) - before.get(comparison.lines.source(event.site), set())
        if new and event.site in meeting:
            standing = Standing.OPEN if new == {DRAWN} else Standing.VIOLATED  # the next ones may make up for it
            message = f"{_because(new)} decides how often this goes round: the others wait for who goes on"
            yield comparison.finding(TOGETHER, standing, event.site, message, None, event.chain)


def _ways_out(comparison: Comparison) -> Iterator[Finding]:
    """No process leaves what all of them train in, where the original's did not."""
    meeting = comparison.after.record.loops_with(*_MEET)
    events = comparison.after.record.events
    last = max((at for at, one in enumerate(events) if one.kind in _MEET), default=-1)
    for at, event in enumerate(events):
        if event.kind != "parts" or comparison.was_there(event):
            continue
        why = event.taints & ({RANK} if event.about == "ends" else CHANCE)
        waited_for = at < last if event.about == "ends" else bool(event.loops) and event.loops[-1] in meeting
        if why and waited_for:
            message = f"{_because(why)} decides which processes go on here: those wait for the others"
            yield comparison.finding(TOGETHER, Standing.VIOLATED, event.site, message, None, event.chain)


def _by_chance(comparison: Comparison) -> Iterator[Finding]:
    """Whether processes meet is no matter of chance where it was none in the original."""
    kinds = ("forward", "backward", "collective")  # a step that does not reduce meets nobody
    then = {taint for kind in kinds for one in _of(comparison.before, kind) for taint in one.taints}
    said = set()
    for event in comparison.after.record.of("collective"):
        new = event.taints & CHANCE - then
        if new and event.loops and event.site not in said:
            said.add(event.site)
            message = f"{_because(new)} decides which processes come to {event.about}, which waits for all of them"
            yield comparison.finding(TOGETHER, Standing.VIOLATED, event.site, message, None, event.chain)


def _swallowed(comparison: Comparison) -> Iterator[Finding]:
    """A process that fails in a step takes part in it all the same, or ends the others. One process alone, as the
    original's, lost a batch."""
    if comparison.before is None or comparison.before.several:
        return
    for event in dict.fromkeys(comparison.after.record.of("swallows")):
        message = "a process that fails here leaves out the step, for which the others wait: end it, or try less"
        yield comparison.finding(TOGETHER, Standing.OPEN, event.site, message, None, event.chain)


def _other_weights(comparison: Comparison) -> Iterator[Finding]:
    """The gradients that processes average are of the same weights in each of them."""
    if not comparison.after.record.of("reduce"):
        return
    for event in comparison.after.record.of("apart"):
        if not comparison.was_there(event) and comparison.came_to(comparison.lines.source(event.site), "backward"):
            why, site = event.about
            if why == LOCAL and unseen(comparison, event):
                continue
            standing = Standing.OPEN if why == LOCAL else Standing.VIOLATED
            message = f"{_WHY[why]} decides which weights get gradients here: processes average those of different ones"
            yield comparison.finding(TOGETHER, standing, event.site, message, site, event.chain)


def _other_rates(comparison: Comparison) -> Iterator[Finding]:
    """All processes step with one learning rate: what it is made of is of all of them."""
    then = comparison.before_at("rate")
    for event in comparison.after.record.of("rate"):
        before = NO_TAINTS.union(*(one.about for one in then.get(comparison.lines.source(event.site), ())))
        new = (event.about & {RANK, OWN, LOCAL}) - before
        if new:
            message = f"{_because(new)} decides the learning rate: each process steps with one of its own"
            yield comparison.finding(TOGETHER, Standing.VIOLATED, event.site, message, None, event.chain)


def _of(execution: Execution | None, kind: str) -> list[Event]:
    return execution.record.of(kind) if execution is not None else []


def _because(taints: Taints) -> str:
    return next(words for taint, words in _WHY.items() if taint in taints)
