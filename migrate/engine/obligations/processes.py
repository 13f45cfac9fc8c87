"""What one process did, one process does; processes start once, and nothing waits when they end."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.execution import Execution
from codemods.kit.meaning.record import Event
from codemods.kit.meaning.values import RANK
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.obligations.kinds import ALONE, ENDS, RUNS


def started(comparison: Comparison) -> Iterator[Finding]:
    """How processes start is set before they are started, and an import starts none."""
    for event in comparison.after.record.of("launch"):
        if event.about and not comparison.lines.guarded(event.site):
            message = "importing this file starts the processes, and each of them imports it"
            yield comparison.finding(RUNS, Standing.VIOLATED, event.site, message)
    yield from _none_started(comparison)
    if comparison.after.several and not (comparison.before and _set_in_workers(comparison.before)):
        for event in _set_in_workers(comparison.after):
            message = "the start method is set once more in each process: `context has already been set`"
            yield comparison.finding(RUNS, Standing.VIOLATED, event.site, message, None, event.chain)


def _none_started(comparison: Comparison) -> Iterator[Finding]:
    """The original started processes; what became of it has to be started by a launcher, or to start some."""
    before, after = comparison.before, comparison.after
    if before is None or after.failure or after.spent:
        return
    starts = [one for one in before.called if one.kind == "launch"]
    if starts and not any(one.kind in ("launch", "processes") for one in after.record.events):
        script = starts[0].chain[0].path if starts[0].chain else starts[0].site.path
        message = f"the processes that were started here are started by nobody: {script} has no `_mp_fn` to start"
        place = starts[0].site
        yield Finding(RUNS, Standing.VIOLATED, place.path, place.line, message, place.line)


def _set_in_workers(execution: Execution) -> list[Event]:
    """Start methods that are set after processes were started: by the same entry, as to what the entries run."""
    launched = False
    found = []
    for event in execution.record.events:
        if event.kind in ("end", "spent"):
            launched = False
        elif event.kind == "uncalled":
            launched = bool(execution.record.of("launch"))
        launched = launched or event.kind == "launch"
        if launched and event.kind == "start method":
            found.append(event)
    return found


def alone(comparison: Comparison) -> Iterator[Finding]:
    """What must not be done by all processes at once."""
    if not comparison.after.several:
        return
    by_all = _done_by_all(comparison)
    for event in comparison.after.in_processes("alone"):
        where = [comparison.lines.source(site) for site in (event.site, *event.chain[-2:-1])]
        if RANK in event.taints or tuple(where) in by_all or tuple(where[:1]) in by_all:
            continue
        if "tried" in event.taints and event.about != "input()":
            continue
        standing = Standing.VIOLATED if event.about in _FAILS else Standing.OPEN
        yield comparison.finding(ALONE, standing, event.site, f"all processes do {event.about} here, at the same time")


_FAILS = ("input()", "shutil.copytree", "os.makedirs of a directory named by the time")
"""What fails in all processes but one, or gives each a folder of its own."""


def _done_by_all(comparison: Comparison) -> set[tuple[tuple[str, int], ...]]:
    """Where every process of the original did what must be done by one, however it is started; with the caller's line
    where another caller had it done by one."""
    if comparison.before is None or not comparison.before.several:
        return set()
    found: dict[bool, dict[tuple[str, int], set[tuple[str, int]]]] = {True: {}, False: {}}
    for event in comparison.before.record.of("alone"):
        callers = found[RANK in event.taints].setdefault((event.site.path, event.site.line), set())
        callers.update((site.path, site.line) for site in event.chain[-2:-1])
    guarded, everywhere = found[True], found[False]
    apart = {(place, caller) for place, callers in everywhere.items() for caller in callers if place in guarded}
    return {(place,) for place in everywhere if place not in guarded} | apart


def ends(comparison: Comparison) -> Iterator[Finding]:
    """No step closure is waiting when the program ends."""
    closures = comparison.after.record.of("closure")
    for event in comparison.after.record.of("end"):
        if any(kind == "closure" for kind, _ in event.about or ()) and closures:
            message = "the last step closure never runs: no mark comes after it"
            yield comparison.finding(ENDS, Standing.VIOLATED, closures[-1].site, message)
