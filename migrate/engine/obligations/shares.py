"""Shares are cut alike in all processes, of the data that the original trains on, and in its order."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.data_primitives import Shares
from codemods.kit.meaning.execution import Execution
from codemods.kit.meaning.values import Site
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison, Place
from migrate.engine.obligations.data import trained_on
from migrate.engine.obligations.kinds import REACHED, SHARE
from migrate.engine.turns import Turns, innermost, loops_of


def cut_alike(comparison: Comparison) -> Iterator[Finding]:
    """What all samplers have to agree on is no process's own; data that is shared out once is not cut again."""
    if comparison.before is None:
        return
    then, trained = _shares(comparison.before), trained_on(comparison.after)
    for now in {one.loader: one for one in _every(comparison.after) if one.serial in trained}.values():
        before = then.get(comparison.lines.source(now.loader), [])
        known = {name for one in before for name in one.differ}
        messages = [
            f"each process has another {name}: their shares overlap, and leave data out"
            for name in sorted(now.differ - known)
        ]
        if now.twice and not any(one.twice for one in before):
            messages.append("each process's share is shared out once more: most of this data is never trained on")
        if now.other and before and not any(one.other for one in before):
            messages.append("the sampler counts other data than this loader hands out")
        messages += _other_data(comparison, now, before)
        for message in messages if comparison.after.several or not (now.differ or now.twice) else ():
            yield comparison.finding(SHARE, Standing.VIOLATED, now.loader, message, now.sampler)
        if comparison.after.several and _for_another_number(comparison.before, now):
            message = "shares are cut for as many processes as were asked for: one is started for each device"
            yield comparison.finding(SHARE, Standing.VIOLATED, now.loader, message, now.sampler)


def _for_another_number(before: Execution, now: Shares) -> bool:
    """Whether shares are cut for a number that nothing shows to be that of the processes; what was not read may be it,
    where the original did not choose the number itself."""
    return now.asked == "a number" or (now.asked == "unread" and bool(before.record.of("started")))


def _every(execution: Execution) -> list[Shares]:
    return [one.about for one in execution.record.of("shares") if isinstance(one.about, Shares)]


def _shares(execution: Execution) -> dict[Place, list[Shares]]:
    found: dict[Place, list[Shares]] = {}
    for one in _every(execution):
        found.setdefault((one.loader.path, one.loader.line), []).append(one)
    return found


def _other_data(comparison: Comparison, now: Shares, before: list[Shares]) -> Iterator[str]:
    """Trains on what the original reads, but does not train on."""
    assert comparison.before is not None
    if comparison.before.spent:
        return  # what was not followed may train on it
    trained = trained_on(comparison.before)
    made = [(one.dataset, one.serial in trained) for one in _every(comparison.before) if one.dataset]
    used = {(site.path, site.line) for site, trains in made if trains}
    read = {(site.path, site.line) for site, trains in made if site.path and not trains}
    if any(one.serial in trained for one in before) and now.dataset:
        if comparison.lines.source(now.dataset) in read - used:
            yield "the original does not train on this data, and reads it elsewhere"


def begun_anew(comparison: Comparison) -> Iterator[Finding]:
    """An iteration that trains takes the next batch, not the first one of all again."""
    if comparison.before is None or comparison.before.spent:
        return
    places = {(loop.path, loop.line) for loop, _ in _begun_inside(comparison.before)}
    for loop, site in _begun_inside(comparison.after):
        if comparison.lines.source(loop) not in places:
            message = "each iteration begins this data anew: it trains on the first batch again and again"
            yield comparison.finding(SHARE, Standing.VIOLATED, loop, message, site)


def _begun_inside(execution: Execution) -> Iterator[tuple[Site, Site]]:
    trained = trained_on(execution)
    for site, turns in loops_of(execution.record.events).items():
        begun = [one for one in innermost(turns, "fetch") if one.about[2] in trained]
        if innermost(turns, "backward") and begun:
            yield site, begun[0].site


_ORDERS = (
    (
        "set epoch",
        "fetch",
        SHARE,
        "a sampler is told of the epoch when its batches are read: two epochs have one order",
    ),
    ("clip", "step", REACHED, "gradients are clipped when they were stepped: the original clips them before"),
    ("step", "schedule", REACHED, "a scheduler is stepped before the optimizer: the original steps it behind"),
)
"""What comes before what in an iteration, if it does in the original."""


def told_in_time(comparison: Comparison) -> Iterator[Finding]:
    """What the original does before something else is done before it."""
    if comparison.before is None:
        return
    before = {(site.path, site.line): turns for site, turns in loops_of(comparison.before.record.events).items()}
    for site, turns in loops_of(comparison.after.record.events).items():
        then = before.get(comparison.lines.source(site))
        for first, second, obligation, message in _ORDERS if then else ():
            if _in_order(then, first, second) is True and _in_order(turns, first, second) is False:
                late = next(one for one in turns.events if one.kind == first)
                yield comparison.finding(obligation, Standing.VIOLATED, late.site, message, site, late.chain)


def _in_order(turns: Turns | None, first: str, second: str) -> bool | None:
    """Whether one thing comes before the other in each iteration; None where there are not both, or now so, now so."""
    found = set()
    for turn in turns.turns if turns else ():
        kinds = [one.kind for one in turn]
        if first in kinds and second in kinds:
            found.add(kinds.index(first) < kinds.index(second))
    return found.pop() if len(found) == 1 else None
