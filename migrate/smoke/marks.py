"""Rules over marks and graphs: one graph a step, compiled once."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from migrate.smoke.finding import SITES, USUAL, Finding, usual
from migrate.smoke.record import Event, Worker

SHAPES = 2
"""Shapes of batches that are no trouble: the last batch of an epoch may be smaller, which costs one compilation."""


def find_in_graphs(worker: Worker) -> Iterator[Finding]:
    """Rules over marks and graphs; silent where nothing counts them."""
    yield from find_marks(worker)
    late = worker.late_graphs
    if not late:
        return
    compiled = statistics.median_low(step.compiled for step in late)
    if compiled:
        yield Finding(
            "compiles", False, f"the usual late step still compiles {compiled} graphs: it never runs at speed"
        )
    events = [event for event in worker.events if event.step >= len(worker.graphs) - len(late)]
    backwards = max(1, round(sum(event.kind == "backward" for event in events) / len(late)))
    executed = statistics.median_low(step.executed for step in late)
    if executed > backwards:
        at = Counter((event.kind, event.site) for event in events if event.executed and event.site)
        often = [name for name, count in at.most_common() if count >= USUAL * len(late)]
        yield Finding(
            "executions",
            False,
            f"the usual late step executes {executed} graphs for {backwards} backward"
            + ("" if backwards == 1 else "s")
            + (": " if often else "")
            + ", ".join(f"{kind} at {site}" for kind, site in often[:SITES]),
            next((site for kind, site in often if kind == "read"), ""),
        )
    mixed = [event.site for event in events if event.kind == "mixed"]
    if len(mixed) >= USUAL * len(late):
        yield Finding(
            "mixed",
            False,
            f"operations of the device take a tensor of the host {round(len(mixed) / len(late))} times in a late step: "
            "each time it is uploaded",
            usual(mixed),
        )
    shapes = max((item.shapes for item in worker.passes if item.trained), default=0)
    if shapes > SHAPES:
        yield Finding("shapes", False, f"the batches of one epoch have {shapes} shapes: each is a compilation")


def find_marks(worker: Worker) -> Iterator[Finding]:
    """Every step is to end in one mark."""
    first = next((event.optimizer for event in worker.events if event.kind == "step"), None)
    steps = [index for index, event in enumerate(worker.events) if event.kind == "step" and event.optimizer == first]
    spans = [worker.events[before:after] for before, after in pairwise(steps)]
    if not spans or not worker.graphs:
        return
    bare = [span for span in spans if not any(event.kind == "mark" for event in span)]
    if len(bare) >= USUAL * len(spans):
        yield Finding(
            "no-mark",
            True,
            f"{len(bare)} of {len(spans)} steps end without a mark: the graph grows from step to step",
            usual(span[0].site for span in bare),
        )
    split_by = [mark for span in spans for mark in splitting_marks(span)]
    if len(split_by) >= USUAL * len(spans):
        yield Finding(
            "second-mark",
            True,
            f"{len(split_by)} of {len(spans)} steps are cut in two graphs by a mark after which nothing is read",
            usual(mark.site for mark in split_by),
        )
    empty = [mark for span in spans for mark in repeated_marks(span)]
    if len(empty) >= USUAL * len(spans):
        yield Finding(
            "second-mark",
            False,
            f"in {len(empty)} of {len(spans)} steps the script marks twice in a row; the second mark is empty",
            usual(mark.site for mark in empty),
        )


def splitting_marks(span: Sequence[Event]) -> Iterator[Event]:
    """Marks between a backward and its step that execute, with no value read before the step."""
    pending: Event | None = None
    differentiated = False
    for event in (*span[1:], span[0]):
        if event.kind == "backward":
            differentiated, pending = True, None
        elif event.kind == "mark" and event.executed and differentiated:
            differentiated, pending = False, event
        elif event.kind == "read":
            pending = None
        elif event.kind in ("step", "reduce", "clip", "unscale") and pending is not None:
            yield pending
            pending = None


def repeated_marks(span: Sequence[Event]) -> Iterator[Event]:
    """Marks of the script's own right after another of its marks."""
    last: Event | None = None
    for event in span:
        if event.kind == "mark" and not event.by_loader:
            if last is not None and not event.executed:
                yield event
            last = event
        elif event.kind != "mark":
            last = None
