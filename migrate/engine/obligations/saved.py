"""What is saved is what the original saves; what the original reads back is read back."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.record import COST, Event
from codemods.kit.meaning.states import Saved
from codemods.kit.meaning.values import Site
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.kinds import ALONE, KEYS, REACHED
from migrate.engine.turns import innermost, loops_of


def saved_alike(comparison: Comparison) -> Iterator[Finding]:
    """A checkpoint has the original's keys, and below them the states of the same networks."""
    then = comparison.before_at("saved")
    for event in comparison.after.record.of("saved") if comparison.after.record.of("backward") else ():
        before = then.get(comparison.lines.source(event.site), [])
        messages = [_other(dict(one.about), dict(event.about)) if one.about and event.about else "" for one in before]
        if messages and all(messages):
            yield comparison.finding(KEYS, Standing.VIOLATED, event.site, messages[0], None, event.chain)


def _other(before: dict[str, Saved], now: dict[str, Saved]) -> str:
    new, lost = sorted(now.keys() - before.keys()), sorted(before.keys() - now.keys())
    if new and "" not in before:
        return f"the original saves nothing under the key {new[0]!r}"
    if any(before[one].what for one in lost):
        return f"what the original saves under the key {lost[0]!r} is not saved" if lost[0] else "the key is new"
    return next((said for key in now if (said := _other_part(before[key], now[key]))), "") if not new else ""


def _other_part(before: Saved, now: Saved) -> str:
    if not (before.what and now.what):
        return ""
    if before.what != now.what:
        return f"the original saves the {before.what} here; this is the {now.what}"
    if before.owner and now.owner and before.owner != now.owner:
        return f"this is saved of a {now.owner}: its names are not those of the original's {before.owner}"
    if now.wrapped and not before.wrapped:
        return "this is saved of a wrapper: each name has a first part that the original's has not"
    if before.trained and not now.trained:
        return "nothing of what is saved here was ever trained"
    return ""


def read_back(comparison: Comparison) -> Iterator[Finding]:
    """Each state that the original reads back is read back, also where another one is."""
    if comparison.before is None or comparison.after.failure or comparison.after.spent:
        return
    then, now = (_loads(one.record.of("load state")) for one in (comparison.before, comparison.after))
    places = {comparison.lines.source(site) for sites in now.values() for site in sites}
    loading = {function for function, _ in now}
    for (function, sort), sites in then.items():
        fewer = len(sites) - len(now.get((function, sort), ()))
        lost = [site for site in sites if (site.path, site.line) not in places]
        for site in lost[:fewer] if function in loading and fewer > 0 else ():
            message = f"the state of {sort}, loaded at the original's line {site.line}, is not loaded any more"
            place = (site.path, site.line)
            yield Finding(REACHED, Standing.OPEN, site.path, comparison.nearest(place), message, site.line)


def _loads(events: list[Event]) -> dict[tuple[tuple[str, str], str], dict[Site, None]]:
    """Where states are loaded, by file and function and by what they are of."""
    found: dict[tuple[tuple[str, str], str], dict[Site, None]] = {}
    for event in events:
        sort = "a network" if isinstance(event.about, tuple) else "an optimizer"
        found.setdefault(((event.site.path, event.site.function), sort), {})[event.site] = None
    return found


def items_read(comparison: Comparison) -> Iterator[Finding]:
    """What the original reads of a checkpoint besides states is read: the epoch, the best score."""
    if comparison.before is None or comparison.after.failure or comparison.after.spent:
        return
    then, now = ({} if one is None else _items(one.record.of("read of a checkpoint"))
                 for one in (comparison.before, comparison.after))  # fmt: skip
    for function, items in then.items():
        for key, site in items.items() if function in now else ():
            if key not in now[function] and not any(word in key for word in _OF_CUDA):
                message = f"the original reads {key!r} of this checkpoint, at its line {site.line}; nothing does here"
                yield Finding(
                    REACHED, Standing.OPEN, site.path, comparison.nearest((site.path, site.line)), message, site.line
                )


_OF_CUDA = ("scaler", "amp", "cuda", "rng", "module.")


def _items(events: list[Event]) -> dict[tuple[str, str], dict[str, Site]]:
    found: dict[tuple[str, str], dict[str, Site]] = {}
    for event in events:
        found.setdefault((event.site.path, event.site.function), {}).setdefault(str(event.about), event.site)
    return found


def waited_for(comparison: Comparison) -> Iterator[Finding]:
    """What one process writes is written before the others read it."""
    for event in comparison.after.record.of("read unwritten"):
        if not comparison.was_there(event):
            message = "one process writes this file and all read it: nothing waits until it is written"
            yield comparison.finding(ALONE, Standing.VIOLATED, event.site, message, None, event.chain)


def saved_each_time(comparison: Comparison) -> Iterator[Finding]:
    """A checkpoint is written as often as in the original."""
    then = {one.loops[-1] for one in comparison.before.record.of("save") if one.loops} if comparison.before else set()
    places = {(loop.path, loop.line) for loop in then}
    for site, turns in loops_of(comparison.after.record.events).items():
        saves = innermost(turns, "save")
        if saves and innermost(turns, "backward") and comparison.before and comparison.lines.source(site) not in places:
            message = "a checkpoint is written in an iteration that trains; the original writes none there"
            yield comparison.finding(COST, Standing.COST, saves[0].site, message, None, saves[0].chain)
