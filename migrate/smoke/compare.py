"""Says whether two runs are the same training: as many optimizer steps, the same losses, the same parameters.

How much they may differ is `tolerance`'s business. Gradients are compared by their norm at each optimizer step, since
an adaptive optimizer forgives what the losses are to show: Adam trains the same with gradients of half the size. What
the runs left is compared in `ends`.

Several workers: rank against rank when both runs have as many. One process against several, as for DataParallel: the
mean of the ranks' losses, since each rank has its share of the batch.
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from migrate.smoke.ends import OPTION, Compared, compare_ends, noise_of_ends
from migrate.smoke.evidence import Evidence, Share, gather, least
from migrate.smoke.record import Run, Worker
from migrate.smoke.tolerance import Tolerance, apart, distances, measured_tolerance, median_distance, relative

__all__ = ["Comparison", "Tolerance", "compare", "measured_tolerance", "noise_of_ends", "same_on_all_ranks"]

NOT_AVERAGED: dict[str, Any] = dict.fromkeys(("gradients", "buffers", "optimizer_state", "schedulers", "copies"), ())
"""What a mean of several ranks has nothing of."""
RANKS_APART = 1e-5
"""Ranks that were given the same gradients are equal to the bit; this forgives a device that is not deterministic."""


@dataclass(frozen=True)
class Comparison:
    """What came of comparing two runs."""

    reasons: tuple[str, ...]
    """Why they differ, one sentence each; empty when they are the same."""
    loss_difference: float
    """The largest relative difference between two losses, as far as they were compared."""
    gradient_difference: float
    """The same of the norms of the gradients."""
    parameter_difference: float
    """The median of the relative distances of the final parameters; NaN when they cannot be paired."""
    divergent_step: int | None = None
    """The first optimizer step, counted from 1, whose loss or gradient differs by more than the tolerance."""
    worst_parameter: str = ""
    """The final parameter that is furthest off; "#3" is the fourth of a run without names."""
    worst_difference: float = 0.0
    """Its distance over its norm."""
    original_steps: tuple[int, ...] = ()
    """Steps of each optimizer."""
    migrated_steps: tuple[int, ...] = ()
    original_losses: tuple[tuple[int, float], ...] = ()
    """What was compared, each with the optimizer steps done before it."""
    migrated_losses: tuple[tuple[int, float], ...] = ()
    compared_losses: int = 0
    """How many losses were compared."""
    evidence: Evidence = field(default_factory=Evidence)
    """What was compared, of each kind; of several ranks the least."""
    tolerance: Tolerance = field(default_factory=Tolerance)
    notes: tuple[str, ...] = ()
    """What was compared, where that is not plain: ranks, a chaotic training."""
    plain: bool = False
    """Whether some difference cannot be rounding: another number of steps, a value that is missing, a first loss."""

    @property
    def same(self) -> bool:
        """Whether it is the same training."""
        return not self.reasons

    @property
    def doubtful(self) -> bool:
        """Whether float32 cannot tell: what differs grew from rounding, or may have, or the training is chaotic."""
        if self.tolerance.unsteady_step is not None or self.plain:
            return False
        return not self.same or self.tolerance.chaotic_step is not None


def compare(original: Run, migrated: Run, tolerance: Tolerance | None = None) -> Comparison:
    """Compare the run of an original with the run of what it was migrated to."""
    tolerance = tolerance or Tolerance()
    failed = [
        f"the {run.side.value} run {run.ending.value}: {run.reason or last_line(run.output)}"
        for run in (original, migrated)
        if not run.ok
    ]
    pairs, notes = pair_workers(original, migrated)
    results = [compare_workers(left, right, tolerance, complete=not failed) for left, right in pairs]
    several = len(results) > 1
    reasons = [
        f"rank {left.rank}: {reason}" if several else reason
        for (left, _), result in zip(pairs, results, strict=True)
        for reason in result.reasons
    ]
    # Ranks of an original that never were one model are none of the migration's doing.
    ranks = same_on_all_ranks(migrated) if not failed and not same_on_all_ranks(original) else []
    reasons += ranks
    if tolerance.chaotic_step is not None:
        notes.append(
            f"from step {tolerance.chaotic_step} on this training is chaotic: rounding alone makes two native runs "
            "differ, so it is compared up to there; --strict compares further"
        )
    if tolerance.unsteady_step is not None:
        notes.append(f"compared up to step {tolerance.unsteady_step}, where two runs of the original differ")
    worst = max(results, key=lambda result: result.loss_difference)
    divergent = [result.divergent_step for result in results if result.divergent_step is not None]
    return replace(
        worst,
        reasons=(*failed, *reasons),
        divergent_step=min(divergent, default=None),
        notes=(*notes, *dict.fromkeys(note for result in results for note in result.notes)),
        tolerance=tolerance,
        evidence=least([result.evidence for result in results]),
        plain=bool(failed or ranks) or any(result.plain for result in results),
    )


def pair_workers(original: Run, migrated: Run) -> tuple[list[tuple[Worker, Worker]], list[str]]:
    """Which worker is compared with which, and a note where that is not one with one."""
    left, right = original.workers or (Worker(),), migrated.workers or (Worker(),)
    if len(left) == len(right):
        notes = [f"each of {len(left)} ranks is compared with the original's rank"] if len(left) > 1 else []
        return list(zip(left, right, strict=True)), notes
    note = (
        f"{len(left)} process of the original against {len(right)} ranks: the mean of the ranks' losses is compared, "
        "their gradients are not"
        if len(left) == 1
        else f"{len(left)} ranks of the original against {len(right)}: the mean of the ranks' losses is compared"
    )
    return [(mean(left), mean(right))], [note]


def mean(workers: Sequence[Worker]) -> Worker:
    """One worker in the place of several: the mean of their losses, and rank 0's parameters.

    The norms of the gradients before they are reduced are no part of it, nor are batch statistics: they do not average.
    """
    if len(workers) == 1:
        return replace(workers[0], **NOT_AVERAGED)
    losses = [
        (ranks[0][0], math.fsum(value for _, value in ranks) / len(ranks))
        for ranks in zip(*(worker.losses for worker in workers), strict=False)
    ]
    return replace(workers[0], losses=tuple(losses), **NOT_AVERAGED)


def compare_workers(left: Worker, right: Worker, tolerance: Tolerance, complete: bool) -> Comparison:
    """Compare one training process with its counterpart. Not `complete`: a run was broken off, only losses count."""
    reasons = []
    if complete:
        reasons += compare_counts(left, right)
    limit = tolerance.compared_losses
    before, after = [value for _, value in left.losses[:limit]], [value for _, value in right.losses[:limit]]
    loss_difference, loss = compare_series(before, after, tolerance.loss_at, tolerance.smallest_loss)
    gradient_difference, gradient = compare_series(
        left.gradients[: tolerance.compared_gradients],
        right.gradients[: tolerance.compared_gradients],
        tolerance.gradient_at,
        tolerance.smallest_gradient,
    )
    divergent = []
    if loss is not None:
        divergent.append(left.losses[loss][0] + 1)
        reasons.append(f"loss of step {divergent[-1]}: {before[loss]:.9g} in the original, {after[loss]:.9g} migrated")
    if gradient is not None:
        divergent.append(gradient + 1)
        reasons.append(
            f"gradient of step {divergent[-1]}: norm {left.gradients[gradient]:.9g} in the original, "
            f"{right.gradients[gradient]:.9g} migrated"
        )
    name, furthest = worst_parameter(left, right)
    ends: dict[str, Compared] = {}
    judged = complete and tolerance.chaotic_step is None and tolerance.unsteady_step is None
    if judged:
        ends, apart_in = compare_left(left, right, tolerance)
        reasons += apart_in
        if tolerance.each is not None:
            name, furthest = ends["parameters"].worst
    loose = [f"{item} ({kind.replace('_', ' ')})" for kind, found in ends.items() for item in found.loose]
    plain = (complete and bool(compare_counts(left, right))) or any(found.missing for found in ends.values())
    # An option is a number that a person wrote.
    plain = plain or any(OPTION in item for found in ends.values() for item, _, _ in found.off)
    plain = plain or first_differs(before, after, tolerance.loss) or loss == 0 or gradient == 0
    compared = min(len(before), len(after))
    norms = min(len(left.gradients[: tolerance.compared_gradients]), len(right.gradients))
    decided = f"rounding alone decides {len(loose)} values, which are not judged: {', '.join(loose[:3])}"
    usual = median_distance(left, right)
    return Comparison(
        tuple(reasons), loss_difference, gradient_difference, usual, min(divergent, default=None),
        name, furthest, left.steps, right.steps, left.losses, right.losses, compared,
        evidence=gather(left, right, compared, norms, {kind: found.share for kind, found in ends.items()}), plain=plain,
        notes=(decided,) if loose else (),
    )  # fmt: skip


def first_differs(before: Sequence[float], after: Sequence[float], allowed: float) -> bool:
    """Whether the first loss, which nothing that was trained has a part in, is another one."""
    return bool(before and after) and relative(before[0], after[0], Tolerance().smallest_loss) > allowed


def compare_left(left: Worker, right: Worker, tolerance: Tolerance) -> tuple[dict[str, Compared], list[str]]:
    """What the runs left: each value by its own noise where that was measured, else the usual parameter and buffer."""
    if tolerance.each is not None:
        return compare_ends(left, right, tolerance)
    distance, reasons = median_distance(left, right), []
    name, furthest = worst_parameter(left, right)
    if not distance <= tolerance.parameters:
        reasons.append(
            "final parameters cannot be paired: the optimizers hold other ones"
            if math.isnan(distance)
            else f"final parameters differ by {distance:.2g} of their norm (median), the most in {name}: {furthest:.2g}"
        )
    paired = 0 if math.isnan(distance) else len(left.parameters)
    buffers = buffers_apart(left, right)
    if buffers and not statistics.median(buffers.values()) <= tolerance.parameters:
        name, furthest = max(buffers.items(), key=lambda item: item[1])
        reasons.append(
            f"final buffers differ by {statistics.median(buffers.values()):.2g} of their norm (median), the most in "
            f"{name}: {furthest:.2g}"
        )
    shares = (("parameters", paired, left.parameters), ("buffers", len(buffers), left.buffers))
    return {kind: Compared(Share(count, len(of))) for kind, count, of in shares}, reasons


def buffers_apart(left: Worker, right: Worker) -> dict[str, float]:
    """Distance over norm of each final buffer; nothing on a rank but 0, nor where they are other ones."""
    if left.rank or {item.name for item in left.buffers} != {item.name for item in right.buffers}:
        return {}
    try:
        return apart(left.buffers, right.buffers)
    except ValueError:
        return {}


def compare_counts(left: Worker, right: Worker) -> list[str]:
    """Optimizer steps and losses: as many on both sides, and some."""
    if not left.losses:
        return ["the original does not train: there is nothing to compare"]
    reasons = []
    if left.steps != right.steps:
        reasons.append(f"optimizer steps: {spell(left.steps)} in the original, {spell(right.steps)} migrated")
    if len(left.losses) != len(right.losses):
        reasons.append(f"losses: {len(left.losses)} in the original, {len(right.losses)} migrated")
    return reasons


def compare_series(
    left: Sequence[float], right: Sequence[float], tolerance: Callable[[int], float], smallest: float
) -> tuple[float, int | None]:
    """The largest relative difference of two series, and the index of the first that is beyond the tolerance.

    Values below `smallest` are measured against it. What one series has more than the other is not looked at.
    """
    largest, divergent = 0.0, None
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        difference = relative(a, b, smallest)
        largest = max(largest, difference)
        if divergent is None and difference > tolerance(index):
            divergent = index
    return largest, divergent


def worst_parameter(left: Worker, right: Worker) -> tuple[str, float]:
    """The name of the final parameter that is furthest off, and its distance over its norm; nothing without a pair."""
    try:
        found = distances(left, right)
    except ValueError:
        return "", math.nan
    return max(found.items(), key=lambda item: item[1], default=("", 0.0))


def same_on_all_ranks(run: Run) -> list[str]:
    """Which ranks ended with other parameters than rank 0, one sentence each; empty when they trained one model."""
    reasons = []
    for worker in run.workers[1:]:
        name, furthest = worst_parameter(run.first, worker)
        if not furthest <= RANKS_APART:
            reasons.append(
                f"rank {worker.rank} ended with other parameters than rank 0"
                + (f": {name} is off by {furthest:.2g} of its norm" if name else "")
            )
    return reasons


def spell(steps: tuple[int, ...]) -> str:
    """ "20", or "20 + 4" for two optimizers."""
    return " + ".join(str(count) for count in steps) or "none"


def last_line(output: str) -> str:
    """The line that says what went wrong: the last one that names an exception, else the last one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    raised = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Interrupt)\b", line)]
    return (raised or lines or ["no output"])[-1]
