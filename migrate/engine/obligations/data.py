"""Each process trains on its share of the data, and in another order each epoch."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.choices import in_order
from codemods.kit.meaning.data_primitives import LOCAL_SHARE, SHARED, WHOLE, started_as
from codemods.kit.meaning.execution import Execution
from codemods.kit.meaning.record import Event
from codemods.kit.meaning.values import LOCAL, RANK, Choice, Site
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.kinds import SHARE


def unmixed(comparison: Comparison) -> Iterator[Finding]:
    """What is trained on comes in another order each time where the original's did."""
    if comparison.before is None:
        return
    mixed = {(site.path, site.line) for site, _, now, _ in _orders(comparison.before) if now}
    trained = trained_on(comparison.after)
    for site, serial, now, sampler in _orders(comparison.after):
        if now is False and serial in trained and comparison.lines.source(site) in mixed:
            message = "the original mixes this data; here it comes in the order it lies in"
            yield comparison.finding(SHARE, Standing.VIOLATED, site, message, sampler)


def _orders(execution: Execution) -> list[tuple[Site, int, bool | None, Site | None]]:
    return [event.about for event in execution.record.of("order")]


def trained_on(execution: Execution) -> set[int]:
    return {one[1] for event in execution.record.of("backward") for one in event.about[1]}


def shared_out(comparison: Comparison) -> Iterator[Finding]:
    """Loaders of training data give each process its share."""
    if not comparison.after.several:
        return
    trained, samplers = trained_on(comparison.after), {one[1]: one[3] for one in _orders(comparison.after)}
    whole = _whole_before(comparison)
    for event in comparison.after.record.of("fetch"):
        site, share, serial, several, divided = event.about
        if divided[0] > _divided_before(comparison, site):
            message = "each process has its batch already in the original: it is divided by their number here"
            yield comparison.finding(SHARE, Standing.VIOLATED, site, message)
        if not several or serial not in trained or comparison.lines.source(site) in whole:
            continue
        if share == LOCAL_SHARE:
            message = "the share is chosen by the place on the host: the processes of two hosts train on the same"
            yield comparison.finding(SHARE, Standing.VIOLATED, site, message, samplers.get(serial))
        elif share == WHOLE:
            message = "every process trains on all of this data"
            yield comparison.finding(SHARE, Standing.VIOLATED, site, message, samplers.get(serial))
        elif isinstance(share, Choice) and WHOLE in tuple(share):
            yield comparison.finding(
                SHARE, Standing.OPEN, site, f"every process trains on all of this data {_when(share)}"
            )
        elif share is None and not _shared_later(comparison, serial):
            yield comparison.finding(
                SHARE, Standing.OPEN, site, "not shown that each process gets a share of this data of its own"
            )


def made_by_hand(comparison: Comparison) -> Iterator[Finding]:
    """Batches that no loader hands out are other ones in each process, too, or were whole in each of the original's."""
    before = comparison.before
    own = {(one.site.path, one.site.line) for one in _undivided(before)} if before else set()
    for event in _undivided(comparison.after):
        place = comparison.lines.source(event.site)
        if place not in own and comparison.came_to(place, "backward"):
            message = "nothing divides what is trained on here: each process takes whole batches of no loader"
            yield comparison.finding(SHARE, Standing.OPEN, event.site, message, None, event.chain)


def _undivided(execution: Execution) -> Iterator[Event]:
    """Each backward of several processes through nothing that is another in each: no share, no rank, nothing drawn."""
    every = execution.record.of("backward")
    fed = {event.loops[-1] for event in every if event.loops and event.about.shares}
    stepping = execution.record.loops_with("step")
    for event in every:
        if not event.loops or event.loops[-1] in fed or not event.about.several:
            continue
        within = [at for at, loop in enumerate(event.loops) if loop in stepping] or [len(event.loops) - 1]
        if not (event.about.differs | event.taints) & {RANK, LOCAL} and event.about.drawn_in <= within[-1]:
            yield event


def divided_by_asked(comparison: Comparison) -> Iterator[Finding]:
    """A batch is not divided by how many processes the original was told to start: torch_xla starts one a device."""
    if comparison.before is None or not comparison.after.several:
        return
    asked, trained = started_as(comparison.before.record), trained_on(comparison.after)
    for event in comparison.after.record.of("batch size") if asked else ():
        site, serial, sizes = event.about
        by_asked = any("Div'" in size and f", {key})" in size for size in sizes for key in asked)
        if by_asked and serial in trained:
            message = "divided by the number of processes asked for: one is started for each device, whatever it is"
            yield comparison.finding(SHARE, Standing.VIOLATED, site, message)


def _shared_later(comparison: Comparison, serial: int) -> bool:
    """Whether a loader that shares out is between what is read here and all that trains on it."""
    record = comparison.after.record
    shared = {event.about[2] for event in record.of("fetch") if event.about[1] == SHARED}
    uses = [{one[1] for one in event.about[1]} for event in record.of("backward")]
    return all(one & shared for one in uses if serial in one)


def _whole_before(comparison: Comparison) -> set[tuple[str, int]]:
    """The loaders from which each process of the original read all of the data, or what it chose by itself."""
    if comparison.before is None:
        return set()
    fetched, trained = comparison.before.record.of("fetch"), trained_on(comparison.before)
    read = [event.about for event in fetched if event.about[2] in trained or not trained]
    return {(site.path, site.line) for site, share, _, several, _ in read if share == WHOLE and several}


def _divided_before(comparison: Comparison, site: Site) -> int:
    """How often a batch may be divided by the number of processes: once where one process fed them all."""
    fetched = [event.about for event in comparison.before.record.of("fetch")] if comparison.before else []
    place = comparison.lines.source(site)
    own = [divided[1] for made, _, _, several, divided in fetched if several and (made.path, made.line) == place]
    return max(own, default=1)


def _when(share: Choice) -> str:
    for facts, one in share.options:
        if one == WHOLE:
            for key, held in in_order(facts):
                if isinstance(key, tuple) and key and str(key[0]).startswith("option "):
                    return f"when {key[0]} is {'set' if held else 'not set'}"
                if isinstance(key, tuple) and len(key) == 3 and key[0] == "attribute":
                    return f"when {key[2]} is {'set' if held else 'not set'}"
    return "on some paths"


def reordered(comparison: Comparison) -> Iterator[Finding]:
    """Each epoch has another order where the original's had."""
    for event in comparison.after.record.of("same order"):
        if not comparison.was_there(event):
            message = "this sampler hands out the same order in each epoch: nothing calls its set_epoch between them"
            yield comparison.finding(SHARE, Standing.OPEN, event.about, message)


def drawn_apart(comparison: Comparison) -> Iterator[Finding]:
    """What each process of the original drew for itself on the device is not the same in all of them."""
    before, after = comparison.before, comparison.after
    if before is None or any(one.about == "torch" for one in before.record.of("seed")):
        return
    if any(one.about == "xla" for one in after.record.of("seed")):
        return
    for event in after.record.of("drawn on the device")[:1]:
        message = "all processes draw the same here: XLA's generator begins alike in each, and nothing seeds it"
        yield comparison.finding(SHARE, Standing.OPEN, event.site, message, None, event.chain)
