"""Each iteration's graph is executed, once, and is the same graph each time."""

from __future__ import annotations

from collections.abc import Iterator

from codemods.kit.meaning.record import COMPILED, COST, ONCE
from migrate.engine.certificate import Finding, Standing
from migrate.engine.comparison import Comparison
from migrate.engine.turns import Turns, cut_short, innermost, is_part, loops_of, on_accelerator


def executed(comparison: Comparison) -> Iterator[Finding]:
    """Each iteration's graph is executed; how often it is executed is said."""
    every = loops_of(comparison.after.record.events)
    for turns in every.values():
        trained = innermost(turns, "backward")
        if not on_accelerator(turns):
            continue
        if not trained and not innermost(turns, "forward"):
            continue
        marks = [one for one in turns.events if one.kind == "mark" and one.about]
        if not marks:
            read = innermost(turns, "early read")
            if not trained and read:
                continue  # what is read is executed, and the rest of an evaluation's graph is given up
            if not trained and any(one.kind == "turn of a module" and one.site == turns.site for one in turns.events):
                continue  # its layers, or some networks: as many iterations as the program names
            message = "nothing executes the graph of an iteration: it grows with each one"
            if is_part(turns, every):
                message = "the iterations of this loop are one graph: it is as long as they are many"
                runs = _runs_again(turns)
                kind, standing = (ONCE, Standing.OPEN) if runs else (COMPILED, Standing.COST)
                yield comparison.finding(kind, standing, turns.site, message)
                continue
            standing = Standing.VIOLATED if trained or len(turns.turns) > 1 else Standing.OPEN
            given_away = {"unclear backward"} == {one.kind for one in turns.events} & {"unclear backward", "step"}
            if not cut_short(turns, every) and not given_away:  # a library that is not read does what is missing
                yield comparison.finding(ONCE, standing, turns.site, message)
            continue
        pairs = list(zip(turns.marked, turns.marked[1:], strict=False))
        # where batches are asked for by `next`, the mark of the second executes what the first left
        marked = {later[0] > sooner[0] for sooner, later in pairs if later[1] > sooner[1]}
        if trained and marked == {False}:
            message = "not every iteration that steps is executed: the graphs of several become one"
            yield comparison.finding(ONCE, Standing.OPEN, turns.site, message)
        for turn in turns.turns[:1]:
            made = [event for event in turn if event.kind == "mark" and event.about and event.loops]
            for one in made[1:]:
                message, first = "one more execution of the graph in each iteration", made[0].site
                cause = first if first != one.site else None
                yield comparison.finding(COST, Standing.COST, one.site, message, cause, one.chain)


def _runs_again(turns: Turns) -> bool:
    """Whether the iterations of a loop do nothing but run one network, again and again, without training it."""
    runs = [one.about for one in innermost(turns, "only run")]
    return len(runs) == len(innermost(turns, "forward")) > 1 and len(set(runs)) == 1


def read_early(comparison: Comparison) -> Iterator[Finding]:
    """Reads in loops that wait for the device. Of elements that a loop takes one by one, each is a graph of its own."""
    record = comparison.after.record
    taken = {(event.site, event.loops[-1]) for event in record.of("moving index")}
    for event in record.of("early read"):
        if (event.site, event.loops[-1]) in taken:
            message = f"{event.about} of one element after the other: each is compiled, and waits for the device"
            yield comparison.finding(COMPILED, Standing.COST, event.site, message, None, event.chain)
            continue
        message = f"{event.about} waits for the device, and executes what is pending once more, in each iteration"
        yield comparison.finding(COST, Standing.COST, event.site, message, None, event.chain)


def recompiled(comparison: Comparison) -> Iterator[Finding]:
    """What makes another graph: shapes that depend on data, branches by chance, slices that move."""
    for kind, message in _RECOMPILES.items():
        for event in comparison.after.record.of(kind):
            sample = kind == "random branch" and any(one.function == "__getitem__" for one in event.chain)
            if event.loops and not sample:  # a data set makes its samples on the host
                yield comparison.finding(
                    COST, Standing.COST, event.site, message.format(event.about), None, event.chain
                )


_RECOMPILES = {
    "dynamic shape": "{} gives a shape that depends on data: a compilation for each new one",
    "random branch": "chance decides what is in the graph: a compilation for each way it goes",
    "moving slice": "a slice whose bounds are other numbers in each iteration: a compilation for each of them",
    "ragged batch": "batches are padded to what is longest in them: a compilation for each length",
}


def graphs_kept(comparison: Comparison) -> Iterator[Finding]:
    """A tensor that is kept over the iterations that train does not keep all that its loss was made of."""
    every = loops_of(comparison.after.record.events)
    training = {site for site, turns in every.items() if innermost(turns, "backward")}
    for event in comparison.after.record.of("kept graph"):
        if training & set(event.about) and not comparison.was_there(event):
            message = "what is kept of each iteration keeps its graph as well: memory grows with each one"
            yield comparison.finding(COST, Standing.COST, event.site, message, None, event.chain)
