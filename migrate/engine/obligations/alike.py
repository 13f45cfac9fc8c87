"""What trains is told what the original tells it: options of optimizers, clips, schedules, scalers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from codemods.kit.meaning.execution import Execution
from codemods.kit.meaning.record import Event
from codemods.kit.meaning.values import VARYING
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.kinds import REACHED, RUNS
from migrate.engine.obligations.training import unseen

_KINDS = ("SGD", "Adam", "AdamW", "LBFGS")
_TOLD = ("momentum", "weight_decay", "betas", "nesterov", "eps", "amsgrad")
_OF_SEVERAL = ("world", "size", "gpu", "device", "num", "count", "rank", "proc")
"""In the key of a learning rate that the original makes of how many processes there are."""


def told_alike(comparison: Comparison) -> Iterator[Finding]:
    """An optimizer is of the original's kind, and is told what the original's is told."""
    then = comparison.before_at("made with")
    for event in comparison.after.record.of("made with"):
        messages = [_other(one.about, event.about) for one in then.get(comparison.lines.source(event.site), ())]
        if messages and all(messages):
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, messages[0], None, event.chain)


def _other(before: Any, now: Any) -> str:
    (kind, options, rest), (own_kind, own_options, own_rest) = before, now
    then, told = dict(options), dict(own_options)
    if kind != own_kind and kind in _KINDS and own_kind in _KINDS:
        return f"the original's optimizer is {kind}, this is {own_kind}"
    rate = str(told.get("lr", ""))
    if "world size" in rate and "lr" in then and not any(word in str(then["lr"]) for word in _OF_SEVERAL):
        return "the learning rate is multiplied by the number of processes; the original's is not"
    lost = [name for name in _TOLD if name in then and name not in told and then[name] not in (0, 0.0, False)]
    if lost and not rest and not own_rest:
        return f"the original's optimizer is told its {lost[0]}, this is not"
    return ""


def clipped_alike(comparison: Comparison) -> Iterator[Finding]:
    """Gradients are clipped by what the original clips them by."""
    yield from _one_way(
        comparison, "clipped by", lambda event, _: event.about, "gradients are clipped by {1}; the original's by {0}"
    )


def as_often(comparison: Comparison) -> Iterator[Finding]:
    """A schedule goes on with each batch or with each epoch, and a save is made in a loop, as in the original."""
    yield from _one_way(comparison, "schedule", _with, "this schedule goes on {1}; the original's {0}")
    yield from _one_way(
        comparison,
        "save",
        lambda event, _: "again and again" if event.loops else "once",
        "this is saved {1}; the original saves it {0}",
    )


def in_each(comparison: Comparison) -> Iterator[Finding]:
    """What trains is done in each iteration, or in some, as in the original."""
    for kind, name in (("backward", "goes backward"), ("step", "steps")):
        yield from _one_way(comparison, kind, _regularly, f"this {name} in {{1}}; the original's in {{0}}")


def _regularly(event: Event, _: Execution) -> str:
    return "some iterations only" if VARYING in event.taints else "each iteration"


def _with(event: Event, execution: Execution) -> str:
    training = {one.loops[-1] for one in execution.record.of("backward") if one.loops}
    inside = bool(event.loops) and event.loops[-1] in training
    return "with each batch" if inside else "with each epoch"


def _one_way(
    comparison: Comparison, kind: str, how: Callable[[Event, Execution], str], message: str
) -> Iterator[Finding]:
    """What all of a function do in one way, where all of the original's did it in another."""
    if comparison.before is None or comparison.after.failure or comparison.after.spent:
        return
    then: dict[tuple[str, str], set[str]] = {}
    for event in comparison.before.called:
        if event.kind == kind:
            then.setdefault((event.site.path, event.site.function), set()).add(how(event, comparison.before))
    now: dict[tuple[str, str], dict[str, Event]] = {}
    for event in comparison.after.called:
        if event.kind == kind:
            now.setdefault((event.site.path, event.site.function), {})[how(event, comparison.after)] = event
    for function, ways in now.items():
        before = then.get(function, set())
        if len(ways) == len(before) == 1 and set(ways) != before:
            (way, event), (first,) = *ways.items(), before
            said, loop = message.format(first, way), event.loops[-1] if event.loops else None
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, said, loop, event.chain)


def stepped_once(comparison: Comparison) -> Iterator[Finding]:
    """An optimizer steps once on the gradients of a backward, if the original's does."""
    if comparison.before is not None and not comparison.before.record.of("stepped again"):
        again = comparison.after.record.of("stepped again")
        for event in [one for one in again if not unseen(comparison, one)]:
            message = "this steps once more on gradients that were stepped already"
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message, event.about, event.chain)


def divided_alike(comparison: Comparison) -> Iterator[Finding]:
    """A loss that the original divides, by its micro-batches perhaps, is divided."""
    then = comparison.before_at("loss")
    for event in comparison.after.record.of("loss"):
        before = then.get(comparison.lines.source(event.site), ())
        if before and all(one.about for one in before) and not event.about and not unseen(comparison, event):
            message = "the original divides this loss by a number; here nothing divides it"
            yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message, None, event.chain)


def in_mode(comparison: Comparison) -> Iterator[Finding]:
    """A network that is only run is in eval mode where the original's is."""
    then = comparison.before_at("mode")
    for event in comparison.after.record.of("mode"):
        before = then.get(comparison.lines.source(event.site), ())
        if before and all(one.about is False for one in before) and event.about is True:
            message = "the original runs this network in eval mode; here it is in training mode"
            yield comparison.finding(REACHED, Standing.OPEN, event.site, message, None, event.chain)


_SCALED = {
    "scaled loss": "the loss is not scaled, and its scaler's step divides the gradients all the same",
    "unscale": "the original unscales the gradients before it clips them; here they are clipped as they are scaled",
    "scaler update": "the scaler is not told that a step is over: its next one is an exception",
}


def scaled_alike(comparison: Comparison) -> Iterator[Finding]:
    """A scaler that steps scales, unscales and is updated where the original's is."""
    steps = comparison.after.record.of("scaled step")
    for kind, message in _SCALED.items() if steps and comparison.before else ():
        if comparison.said_before(kind) and not comparison.after.record.of(kind):
            place = sorted(comparison.said_before(kind))[0]
            line = comparison.nearest(place)
            yield Finding(REACHED, Standing.VIOLATED, place[0], line, message, place[1])


def cast_there(comparison: Comparison) -> Iterator[Finding]:
    """An autocast is that of the XLA device."""
    for event in comparison.after.record.of("autocast of cuda"):
        message = "this autocast is CUDA's: on the XLA device it does nothing"
        yield comparison.finding(RUNS, Standing.VIOLATED, event.site, message, None, event.chain)
