"""A pair of runs step by step: the losses of both, how far apart they are, and what XLA compiled and executed."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from migrate.smoke.judgement import Pair
from migrate.smoke.record import Graphs, Run
from migrate.smoke.tolerance import Tolerance, relative

SHOWN = 10
"""Rows of a table in a terminal or a pull request."""


@dataclass(frozen=True)
class Row:
    """One step of the first optimizer."""

    step: int
    """Counted from 1."""
    original: float | None
    """The mean of what was differentiated in this step; None where there was nothing."""
    migrated: float | None
    difference: float | None
    """The largest relative difference of two losses of this step."""
    allowed: float | None
    """The tolerance where that difference is."""
    compared: bool
    """Whether it counts: after the training has become chaotic it does not."""
    graphs: Graphs | None
    """Compiled and executed in this step alone; None where nothing counted graphs."""

    @property
    def diverges(self) -> bool:
        """Whether the losses of this step are further apart than is allowed."""
        if not self.compared or self.difference is None or self.allowed is None:
            return False
        return not self.difference <= self.allowed


def list_rows(pair: Pair) -> list[Row]:
    """Every step that either run has."""
    comparison = pair.comparison
    before = comparison.original_losses if comparison else pair.original.first.losses if pair.original else ()
    after = comparison.migrated_losses if comparison else pair.migrated.first.losses
    left, right = by_step(before), by_step(after)
    apart = differences(before, after, comparison.tolerance) if comparison else {}
    graphs = step_graphs(counted_graphs(pair.migrated))
    last = max([step for step, _ in (*before, *after)] + [len(graphs) - 1], default=-1)
    rows = []
    for step in range(last + 1):
        difference, allowed, compared = apart.get(step, (None, None, False))
        counted = graphs[step] if step < len(graphs) else None
        rows.append(Row(step + 1, left.get(step), right.get(step), difference, allowed, compared, counted))
    return rows


def by_step(losses: Sequence[tuple[int, float]]) -> dict[int, float]:
    """The mean loss of each step: with accumulated gradients and with two optimizers a step has several."""
    found: dict[int, list[float]] = defaultdict(list)
    for step, value in losses:
        found[step].append(value)
    return {step: statistics.fmean(values) for step, values in found.items()}


def differences(
    before: Sequence[tuple[int, float]], after: Sequence[tuple[int, float]], tolerance: Tolerance
) -> dict[int, tuple[float, float, bool]]:
    """For each step the difference that stands out most against what is allowed, that, and whether it counts."""
    limit = tolerance.compared_losses
    found: dict[int, tuple[float, float, bool]] = {}
    for index, ((step, a), (_, b)) in enumerate(zip(before, after, strict=False)):
        difference, allowed = relative(a, b, tolerance.smallest_loss), tolerance.loss_at(index)
        known = found.get(step)
        if known is None or difference / allowed > known[0] / known[1]:
            found[step] = (difference, allowed, limit is None or index < limit)
    return found


def counted_graphs(run: Run) -> Sequence[Graphs]:
    """The totals after each step; none where tensors are plain ones and only marks are counted."""
    totals = run.first.graphs
    return totals if totals and totals[-1].executed else ()


def step_graphs(totals: Sequence[Graphs]) -> list[Graphs]:
    """What each step added to totals taken after each step."""
    steps, last = [], Graphs(0, 0)
    for total in totals:
        steps.append(Graphs(total.compiled - last.compiled, total.executed - last.executed))
        last = total
    return steps


def choose_rows(rows: Sequence[Row], shown: int = SHOWN) -> list[Row]:
    """The rows worth a reader's time, in order: first, last, where it diverges, where it is furthest apart, and steps
    that still compile when the usual step does not; then evenly spread ones."""
    if len(rows) <= shown:
        return list(rows)
    chosen = {0, 1, len(rows) - 1}
    apart = next((index for index, row in enumerate(rows) if row.diverges), None)
    if apart is not None:
        chosen |= {index for index in (apart - 1, apart, apart + 1) if 0 <= index < len(rows)}
    chosen.add(max(range(len(rows)), key=lambda index: rows[index].difference or 0.0))
    late = [index for index in range(len(rows) // 2, len(rows)) if (graphs := rows[index].graphs) and graphs.compiled]
    chosen.update(late[:2])
    spread = (round(index * (len(rows) - 1) / (shown - 1)) for index in range(shown))
    for index in spread:
        if len(chosen) >= shown:
            break
        chosen.add(index)
    return [rows[index] for index in sorted(chosen)]
