"""Says whether two runs are the same training: as many optimizer steps, the same losses, the same parameters.

Why the tolerances. With one generator of random numbers and float32 on both sides, native CPU and torch_xla on CPU
agree to 2e-7..3e-5 relative in the loss over 20 steps (MNIST with dropout, a VAE, DCGAN, a small ImageNet run), while
the migration errors that matter change a loss within a step or two by far more than 1e-3: an optimizer that holds the
parameters of before the move, a gradient clipped or divided twice, a loader that ends early, another seed. The default
2e-4 lies between. It holds for short runs: rounding grows with the number of steps and can pass any bound in a training
that is chaotic (seen: 2e-7 at step 5, 2.7e-3 at step 8 with Adadelta at learning rate 1), so compare few steps.

Gradients are compared by their norm at each optimizer step, since an adaptive optimizer forgives what the losses are to
show: Adam trains the same with gradients of half the size. Of the final parameters the usual one counts, the median of
their relative distances. Neither the worst nor the sum would do: a bias in front of a batch norm has a gradient of pure
rounding, of which Adam makes full steps (seen: 5e-2 of the norm of a small network, after 16 steps).
"""

from __future__ import annotations

import math
import re
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from migrate.smoke.record import Run, Worker


@dataclass(frozen=True)
class Tolerance:
    """How much two runs may differ and still be the same training. All are relative."""

    loss: float = 2e-4
    smallest_loss: float = 5e-3
    """Losses closer to zero are measured against this: the rounding of what they were computed from does not shrink."""
    gradient: float = 2e-3
    smallest_gradient: float = 1e-3
    parameters: float = 1e-2
    """Of the usual parameter, relative to its norm."""


@dataclass(frozen=True)
class Comparison:
    """What came of comparing two runs."""

    reasons: tuple[str, ...]
    """Why they differ, one sentence each; empty when they are the same."""
    loss_difference: float
    """The largest relative difference between two losses, as far as both runs have them."""
    gradient_difference: float
    """The same of the norms of the gradients."""
    parameter_difference: float
    """The median of the relative distances of the final parameters; NaN when they cannot be paired."""
    divergent_step: int | None = None
    """The first optimizer step, counted from 1, whose loss or gradient differs by more than the tolerance."""

    @property
    def same(self) -> bool:
        """Whether it is the same training."""
        return not self.reasons


def compare(original: Run, migrated: Run, tolerance: Tolerance | None = None) -> Comparison:
    """Compare the run of an original with the run of what it was migrated to."""
    tolerance = tolerance or Tolerance()
    reasons = [
        f"the {run.side.value} run {run.ending.value}: {last_line(run.output)}"
        for run in (original, migrated)
        if not run.ok
    ]
    complete = not reasons
    left, right = original.first, migrated.first
    if complete and not left.losses:
        reasons.append("the original does not train: there is nothing to compare")
    if complete and left.steps != right.steps:
        reasons.append(f"optimizer steps: {spell(left.steps)} in the original, {spell(right.steps)} migrated")
    if complete and len(left.losses) != len(right.losses):
        reasons.append(f"losses: {len(left.losses)} in the original, {len(right.losses)} migrated")
    before, after = [value for _, value in left.losses], [value for _, value in right.losses]
    loss_difference, loss = compare_series(before, after, tolerance.loss, tolerance.smallest_loss)
    gradient_difference, gradient = compare_series(
        left.gradients, right.gradients, tolerance.gradient, tolerance.smallest_gradient
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
    distance = compare_parameters(left, right)
    if complete and not distance <= tolerance.parameters:
        reasons.append(f"final parameters differ by {distance:.2g} of their norm (median)")
    return Comparison(tuple(reasons), loss_difference, gradient_difference, distance, min(divergent, default=None))


def compare_series(
    left: Sequence[float], right: Sequence[float], tolerance: float, smallest: float
) -> tuple[float, int | None]:
    """The largest relative difference of two series, and the index of the first that is beyond the tolerance.

    Values below `smallest` are measured against it. What one series has more than the other is not looked at.
    """
    largest, divergent = 0.0, None
    for index, (a, b) in enumerate(zip(left, right, strict=False)):
        if a == b or (math.isnan(a) and math.isnan(b)):
            continue
        # NaN on one side, or infinity: as different as can be.
        finite = math.isfinite(a) and math.isfinite(b)
        difference = abs(a - b) / max(abs(a), abs(b), smallest) if finite else math.inf
        largest = max(largest, difference)
        if divergent is None and difference > tolerance:
            divergent = index
    return largest, divergent


def compare_parameters(original: Worker, migrated: Worker) -> float:
    """The median over the parameters of distance over norm, by their samples; NaN when their shapes differ.

    Runs without parameters (no optimizer ever stepped) are at distance 0.
    """
    if [item.shape for item in original.parameters] != [item.shape for item in migrated.parameters]:
        return math.nan
    distances = []
    for left, right in zip(original.parameters, migrated.parameters, strict=True):
        distance = math.dist(left.elements, right.elements)
        norm = math.hypot(*left.elements)
        distances.append(distance / norm if norm > 0 else distance)
    return statistics.median(distances) if distances else 0.0


def spell(steps: tuple[int, ...]) -> str:
    """ "20", or "20 + 4" for two optimizers."""
    return " + ".join(str(count) for count in steps) or "none"


def last_line(output: str) -> str:
    """The line that says what went wrong: the last one that names an exception, else the last one."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    raised = [line for line in lines if re.match(r"[\w.]*(Error|Exception|Interrupt)\b", line)]
    return (raised or lines or ["no output"])[-1]
