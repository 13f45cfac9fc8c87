"""What trained still trains: what was done is done, with gradients that are those of one step."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.record import LATEST, Event
from codemods.kit.meaning.steps import LOCALLY, MEAN, Step
from codemods.kit.meaning.values import Site
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.kinds import REACHED
from migrate.engine.turns import innermost, loops_of


def reached(comparison: Comparison) -> Iterator[Finding]:
    """What the original did to train is still done, in the same functions."""
    if comparison.before is None or comparison.after.failure or comparison.after.spent:
        return
    after, done = comparison.after.called, comparison.before.called
    if not comparison.before.calls_training:
        after, done = comparison.after.record.events, comparison.before.record.events
    for kind, (name, standing) in _DONE.items():
        if kind in _OF_ALL and not comparison.after.several:
            continue  # that nobody starts the others is said
        now = {comparison.lines.source(one.site) for one in after if one.kind == kind}
        functions = {(one.path, one.function) for event in after if event.kind == kind for one in event.chain}
        said = set()
        for event in done:
            place = (event.site.path, event.site.line)
            if event.kind != kind or place in now or place in said:
                continue
            if (event.site.path, event.site.function) not in functions:
                said.add(place)
                message = f"{name}, done at the original's line {event.site.line}, is not done any more"
                line, asked = comparison.nearest(place), _asked(comparison, event)
                yield Finding(REACHED, standing, event.site.path, line, message, place[1], asked)


def _asked(comparison: Comparison, event: Event) -> str:
    """Where the function is called in which the original did something: the line that now stands there."""
    calls = [one for one in event.chain if (one.path, one.function) != (event.site.path, event.site.function)]
    return f"{calls[-1].path}:{comparison.nearest((calls[-1].path, calls[-1].line))}" if calls else ""


def stepped(comparison: Comparison) -> Iterator[Finding]:
    """A loop that goes backward and steps still does both."""
    if comparison.before is None:
        return
    before = loops_of(comparison.before.record.events)
    stepping = [site for site, turns in before.items() if any(one.kind == "step" for one in turns.events)]
    steps = {(site.path, site.line) for site in stepping}
    for site, turns in loops_of(comparison.after.record.events).items():
        backwards = innermost(turns, "backward")
        if backwards and comparison.lines.source(site) in steps and all(one.kind != "step" for one in turns.events):
            if comparison.lines.source(backwards[0].site) in comparison.said_before("backward"):
                message = "the original steps in this loop; here nothing does"
                yield comparison.finding(REACHED, Standing.VIOLATED, site, message, None, backwards[0].chain)


_DONE = {
    "backward": ("backward()", Standing.VIOLATED),
    "step": ("an optimizer's step", Standing.VIOLATED),
    "zero": ("clearing of gradients", Standing.OPEN),
    "clip": ("clipping of gradients", Standing.VIOLATED),
    "schedule": ("a scheduler's step", Standing.VIOLATED),
    "load state": ("loading of a state", Standing.OPEN),
    "save": ("a save", Standing.OPEN),
    "copied": ("a copy", Standing.OPEN),
    "only run": ("a run of a network that is not trained", Standing.OPEN),
    "written weights": ("a change of weights by hand", Standing.OPEN),
    "rate": ("setting of a learning rate", Standing.VIOLATED),
    "summed": ("a sum or mean over the processes", Standing.VIOLATED),
    "mean": ("a division by the number of processes", Standing.OPEN),
}
"""What is looked for again, with what it is called."""
_OF_ALL = ("summed", "mean")
"""What several processes do only."""


def trained(comparison: Comparison) -> Iterator[Finding]:
    """What is stepped has gradients; they are those of one step; the step is in the loop of its backward."""
    before = comparison.gradients_before
    compared = comparison.before is not None and bool(comparison.before.record.of("step"))
    for event in comparison.after.record.of("step"):
        if not isinstance(event.about, Step):
            continue
        now = {gradient for _, gradient in event.about.gradients}
        then = {one for site, _ in event.about.gradients for one in before.get(comparison.made(site), ())}
        missing = now == {"none"} and bool(not compared or then & {MEAN, LOCALLY})
        if missing and not unseen(comparison, event) and event.about.optimizer not in _stale_optimizers(comparison):
            message = "no gradient reaches what this steps"
            standing = Standing.VIOLATED if compared else Standing.OPEN
            yield comparison.finding(REACHED, standing, event.site, message, event.about.optimizer, event.chain)
    if comparison.before is not None and not comparison.before.spent:
        yield from _added(comparison)
    yield from _out_of_the_loop(comparison)


def unseen(comparison: Comparison, step: Event) -> bool:
    """Whether gradients of what is stepped may come from where the result was not followed: that is said there."""
    record, loops = comparison.after.record, step.loops
    if any(one.chain[:1] == step.chain[:1] for one in record.of("cut")):
        return True
    lost = [one for one in record.of("lost") if one.about[0] == "gradients"]
    return any(
        one.loops[: len(loops)] == loops or loops[: len(one.loops)] == one.loops
        for one in (*record.of("unclear backward"), *lost)
    )


def _added(comparison: Comparison) -> Iterator[Finding]:
    assert comparison.before is not None
    then = {(one.path, one.line, one.function) for event in comparison.before.record.of("added") for one in event.about}
    for event in comparison.after.record.of("added"):
        made = [comparison.made(site) for site in event.about - _stale(comparison)]
        if any(one not in then and one in comparison.gradients_before for one in made):
            message = "gradients are added to those of an earlier iteration: nothing clears them any more"
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message, None, event.chain)


def _stale(comparison: Comparison) -> set[Site]:
    """The parameters whose optimizer has those of before a move: that nothing clears them follows from it."""
    optimizers = _stale_optimizers(comparison)
    steps = [event.about for event in comparison.after.record.of("step") if isinstance(event.about, Step)]
    return {site for step in steps if step.optimizer in optimizers for site, _ in step.gradients}


def _stale_optimizers(comparison: Comparison) -> set[Site | None]:
    return {one.cause for one in comparison.after.record.findings.values() if one.obligation == LATEST}


def _out_of_the_loop(comparison: Comparison) -> Iterator[Finding]:
    def inside(events: list[Event]) -> bool:
        loops = {event.loops for event in events if event.kind == "backward"}
        return all(event.loops[: len(one)] == one for event in events if event.kind == "step" for one in loops if one)

    if comparison.before is None or not inside(comparison.before.called) or inside(comparison.after.called):
        return
    loops = {event.loops for event in comparison.after.called if event.kind == "backward"}
    for event in comparison.after.called:
        if event.kind == "step" and not any(event.loops[: len(one)] == one for one in loops if one):
            message = "this step is outside of the loop of its backward; the original's is in it"
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message, None, event.chain)
