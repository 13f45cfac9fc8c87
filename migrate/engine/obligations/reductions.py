"""A gradient is the mean of those of all processes, and each weight that has one is stepped."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.execution import Execution
from codemods.kit.meaning.record import AVERAGED, LATEST, Event
from codemods.kit.meaning.steps import MEAN, Step
from codemods.kit.meaning.values import Site
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.kinds import REACHED


def of_all_processes(comparison: Comparison) -> Iterator[Finding]:
    """What the original did in all processes is done in all, not in groups of them."""
    if comparison.before is not None and not comparison.before.record.of("groups"):
        for event in comparison.after.record.of("groups"):
            message = "this reduces within groups of processes; the original knows of none"
            yield comparison.finding(AVERAGED, Standing.VIOLATED, event.site, message, None, event.chain)


def divided_once(comparison: Comparison) -> Iterator[Finding]:
    """A loss whose gradients are averaged is not divided by the number of processes as well."""
    if comparison.before is None or comparison.before.record.of("divided loss"):
        return
    steps = [one.about for one in comparison.after.record.of("step") if isinstance(one.about, Step)]
    if any(MEAN in gradient.split("/") for step in steps for _, gradient in step.gradients):
        for event in comparison.after.record.of("divided loss"):
            message = "this loss is divided by the number of processes, and its gradients are averaged besides"
            yield comparison.finding(AVERAGED, Standing.VIOLATED, event.site, message, None, event.chain)


def stepped_all(comparison: Comparison) -> Iterator[Finding]:
    """Each weight that gets a gradient is stepped by some optimizer, unless it is not in the original either."""
    if comparison.before is None or comparison.after.spent or not _of(comparison.before, "stepped"):
        return
    then = {(site.path, site.line) for site in _left_out(comparison.before)}
    stale = any(one.obligation == LATEST for one in comparison.after.record.findings.values())
    new = [site for site in _left_out(comparison.after) if comparison.lines.source(site) not in then]
    for event in _of(comparison.after, "stepped")[:1] if new and not stale else ():
        message = f"a weight gets gradients, and no optimizer steps it: one made at {new[0]}"
        yield comparison.finding(REACHED, Standing.VIOLATED, event.site, message, event.about[0], event.chain)


def _left_out(execution: Execution) -> list[Site]:
    """Where the parameters were made that a backward reaches and no step has."""
    stepped = {serial for event in _of(execution, "stepped") for serial in event.about[1]}
    reached = {one for event in _of(execution, "reached") for one in event.about}
    return sorted({site for serial, site in reached if serial not in stepped}, key=str)


def _of(execution: Execution, kind: str) -> list[Event]:
    """In what the entries run: whose weights an optimizer has that somebody hands in is not known."""
    return [one for one in execution.called if one.kind == kind]
