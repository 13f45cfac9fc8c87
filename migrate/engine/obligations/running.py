"""What is written runs on torch_xla: parts of CUDA and of PyTorch that have nothing there."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.record import AVERAGED
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.kinds import RUNS


def left(comparison: Comparison) -> Iterator[Finding]:
    """Parts of CUDA that do nothing without it."""
    for event in comparison.after.record.of("cuda scaler"):
        message = "a gradient scaler of CUDA is asked here: without CUDA its answer is None"
        yield comparison.finding(RUNS, Standing.OPEN, event.site, message)


def frozen(comparison: Comparison) -> Iterator[Finding]:
    """Batch norm whose statistics stand still while it trains: its backward does not run on torch_xla 2.x."""
    message = "batch norm in eval mode is trained through: " + (
        "whether its backward runs on this torch_xla was not tried"
        if comparison.after.legacy
        else "its backward does not run on torch_xla 2.x"
    )
    through = comparison.after.record.of("through frozen")
    layers = comparison.after.record.of("frozen batch norm")
    for one in {event.site: event for event in through if event.loops}.values():
        first = next(layer for layer in layers if layer.site in one.about)
        more = f" (the first of {len(one.about)} lines)" if len(one.about) > 1 else ""
        yield comparison.finding(RUNS, Standing.OPEN, first.site, message + more, one.site, first.chain)


def in_workers(comparison: Comparison) -> Iterator[Finding]:
    """The processes of a loader have no device of XLA: one has it, which is this."""
    for event in comparison.after.record.of("device in workers"):
        if not comparison.was_there(event):
            message = "the processes of this loader put batches on the device: they wait for it for ever"
            yield comparison.finding(RUNS, Standing.OPEN, event.about, message, event.site, event.chain)


def packed(comparison: Comparison) -> Iterator[Finding]:
    """What torch_xla cannot run."""
    tried = not comparison.after.legacy
    message = "packed sequences " + ("do not run on torch_xla 2.x" if tried else "were not tried on this torch_xla")
    for event in comparison.after.record.of("packed sequence"):
        yield comparison.finding(RUNS, Standing.VIOLATED if tried else Standing.OPEN, event.site, message)
    if comparison.before:
        for event in comparison.after.record.of("communication hook"):
            yield comparison.finding(
                AVERAGED, Standing.VIOLATED, event.site, "a communication hook has no wrapper to hang on"
            )
        if comparison.before.record.of("communication hook") and not comparison.after.record.of("communication hook"):
            one = comparison.before.record.of("communication hook")[0]
            place = (one.site.path, one.site.line)
            message = "what the original's communication hook did to gradients is not done any more"
            yield Finding(AVERAGED, Standing.OPEN, place[0], comparison.nearest(place), message, place[1])
