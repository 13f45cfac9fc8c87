"""All that trains was followed: what the judge could not follow, and matters to training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from codemods.kit.meaning.record import Event
from codemods.kit.meaning.steps import Step
from codemods.kit.meaning.values import Site
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.kinds import FOLLOWED

_MANY = 4


def followed(comparison: Comparison) -> Iterator[Finding]:
    """What was not followed, and matters to training."""
    after = comparison.after
    if after.failure:
        message = f"the judge could not follow this program: {after.failure}"
        yield Finding(FOLLOWED, Standing.OPEN, "", 0, message, hides=True)
    yield from _too_large(comparison)
    yield from _cut(comparison)
    yield from _unseen_saves(comparison)
    yield from _left_out(comparison)
    for event in after.record.of("text"):
        message = "exec() runs text that was not read: the names it sets are judged by the values this file gives them"
        yield comparison.finding(FOLLOWED, Standing.OPEN, event.site, message, None, event.chain)
    for event in after.record.of("trouble"):
        yield comparison.finding(
            FOLLOWED, Standing.OPEN, event.site, f"the judge could not do this ({event.about})", None, event.chain
        )
    unclear, finished = after.record.of("unclear backward"), after.finished("unclear backward")
    for event in [one for one in unclear if one.loops or one in finished]:
        message = f"what this loss depends on was not followed ({event.about})"
        yield comparison.finding(FOLLOWED, Standing.OPEN, event.site, message, None, event.chain)
    stepped = {event.about.optimizer for event in after.record.of("step") if isinstance(event.about, Step)}
    elsewhere = {event.about[2] for event in after.record.of("lost")}
    idle: dict[tuple[str, str], list[Site]] = {}
    for event in after.finished("capture"):
        if event.about not in stepped | elsewhere:
            places = idle.setdefault((event.about.path, event.about.function), [])
            places += [event.about] if event.about not in places else []
    for places in idle.values():
        many = f"no step of these {len(places)} optimizers was reached"  # a function that makes any of them
        for site in places if len(places) < _MANY else places[:1]:
            message = "no step of this optimizer was reached" if len(places) < _MANY else many
            yield comparison.finding(FOLLOWED, Standing.OPEN, site, message)
    for event in after.record.of("step"):
        if isinstance(event.about, Step) and event.about.unclear and not event.about.gradients:
            message = f"which parameters this optimizer steps was not followed ({', '.join(event.about.unclear[:2])})"
            yield comparison.finding(FOLLOWED, Standing.OPEN, event.site, message, event.about.optimizer, event.chain)
    yield from _lost(comparison)


def _too_large(comparison: Comparison) -> Iterator[Finding]:
    """Where an entry was given up: once for the call of the entry that was too much."""
    said = set()
    entries = {id(one) for one in comparison.after.called if one.kind == "spent"}
    missing = _not_reached(comparison)
    for event in comparison.after.record.of("spent"):
        start = event.chain[0] if event.chain else event.site
        if start not in said:
            said.add(start)
            where = f" (it ended at {event.site})" if event.site != start else ""
            message = f"too large to be followed to its end: what comes after this call was not judged{where}"
            found = comparison.finding(FOLLOWED, Standing.OPEN, start, message)
            trains = comparison.lines.trains(start.path)
            yield replace(found, hides=missing and trains and id(event) in entries)


def _cut(comparison: Comparison) -> Iterator[Finding]:
    """Networks, and steps of optimizers, that were too large for their share of the work: each once, many of a file
    together."""
    places: dict[str, dict[str, Event]] = {}
    for event in comparison.after.called:
        if event.kind == "cut":
            places.setdefault(event.site.path, {}).setdefault(event.about.what, event)
    for cut in places.values():
        many = f"{len(cut)} parts of networks, as {', '.join(list(cut)[:3])},"
        for event in cut.values() if len(cut) < _MANY else list(cut.values())[:1]:
            which, it = (f"{event.about.what} is", "it") if len(cut) < _MANY else (f"{many} are", "them")
            message = f"{which} too large to be followed to the end: what happens in {it} was not judged"
            yield comparison.finding(FOLLOWED, Standing.OPEN, event.site, message, None, event.chain)


def _unseen_saves(comparison: Comparison) -> Iterator[Finding]:
    """Saves that nobody came to, and that 1.x makes a meeting of all processes: below what lets one process through,
    and, where following ended early, under or below a comparison."""
    after, lines = comparison.after, comparison.lines
    if not (after.legacy and after.several):
        return
    ended = any(one.kind == "spent" for one in after.called)
    seen = {(one.site.path, one.site.line) for one in after.record.of("save")}
    sites = set(lines.saves_after_a_leave(of_one=not ended)) | set(lines.saves_if_better() if ended else ())
    for site in sorted(sites, key=lambda one: (one.path, one.line)):
        if (site.path, site.line) not in seen:
            message = "xm.save waits for all processes: whether all of them come to this one was not followed"
            yield replace(comparison.finding(FOLLOWED, Standing.OPEN, site, message), hides=True)


def _left_out(comparison: Comparison) -> Iterator[Finding]:
    """Where one of many classes is made, and not all of them were followed: once a file."""
    places: dict[str, dict[Site, Event]] = {}
    for event in comparison.after.called:
        if event.kind == "left out":
            places.setdefault(event.site.path, {})[event.site] = event
    for left in places.values():
        event, more = next(iter(left.values())), len(left) - 1
        where = f"here, as at {more} more places of the file" if more else "here"
        message = f"one of {event.about} is made {where}, and only the first of them were followed"
        yield comparison.finding(FOLLOWED, Standing.OPEN, event.site, message, None, event.chain)


def _not_reached(comparison: Comparison) -> bool:
    """Whether a step or a save of the original may be in what was not seen."""
    before, after = comparison.before, comparison.after
    if before is None or any(one.kind == "spent" for one in before.called):
        return True
    kinds = ("step", "save")
    now = {comparison.lines.source(one.site) for one in after.called if one.kind in kinds}
    return any((one.site.path, one.site.line) not in now for one in before.called if one.kind in kinds)


def _lost(comparison: Comparison) -> Iterator[Finding]:
    for event in comparison.after.record.of("lost"):
        kind, why, _ = event.about
        if kind.endswith(("Optimizer", "DataLoader", "gradients")) or (event.loops and kind.endswith("Module")):
            message = f"{_ARTICLE[kind.rpartition('.')[2]]} goes where it was not followed: {why}"
            yield comparison.finding(FOLLOWED, Standing.OPEN, event.site, message, None, event.chain)


_ARTICLE = {
    "Optimizer": "an optimizer",
    "DataLoader": "a loader",
    "Module": "a module",
    "Parameter": "a parameter",
    "gradients": "gradients",
}
