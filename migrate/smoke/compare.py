"""Says whether two runs are the same training: as many optimizer steps, the same losses, the same parameters.

Why the tolerances. With one generator of random numbers and float32 on both sides, native CPU and torch_xla on CPU
agree to 2e-7..3e-5 relative in the loss over 20 steps (MNIST with dropout, a VAE, DCGAN, a small ImageNet run), while
the migration errors that matter change a loss within a step or two by far more than 1e-3: an optimizer that holds the
parameters of before the move, a gradient clipped or divided twice, a loader that ends early, another seed. The default
2e-4 lies between. It holds for short runs: rounding grows with the number of steps and can pass any bound in a training
that is chaotic (seen: 2e-7 at step 5, 2.7e-3 at step 8 with Adadelta at learning rate 1), so compare few steps.

Parameters are compared as one vector. One by one they are no measure: a bias in front of a batch norm has a gradient of
pure rounding, which Adam makes full steps of.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from migrate.smoke.run import Run


@dataclass(frozen=True)
class Tolerance:
    """How much two runs may differ and still be the same training."""

    loss: float = 2e-4
    """Of a loss, relative to the larger of the two."""
    smallest_loss: float = 5e-3
    """Losses closer to zero are measured against this: the rounding of what they were computed from does not shrink."""
    parameters: float = 1e-2
    """Of all parameters together, relative to their norm."""


@dataclass(frozen=True)
class Comparison:
    """What came of comparing two runs."""

    reasons: tuple[str, ...]
    """Why they differ, one sentence each; empty when they are the same."""
    loss_difference: float
    """The largest relative difference between two losses, as far as both runs have them."""
    parameter_difference: float
    """Relative distance of the final parameters; NaN when they cannot be paired."""
    divergent_step: int | None = None
    """Steps done (of the first optimizer) when the losses first differed by more than the tolerance."""

    @property
    def same(self) -> bool:
        """Whether it is the same training."""
        return not self.reasons


def compare(original: Run, migrated: Run, tolerance: Tolerance | None = None) -> Comparison:
    """Compare the run of an original with the run of what it was migrated to."""
    tolerance = tolerance or Tolerance()
    failures = tuple(
        f"the {run.side.value} run {run.ending.value}: {last_line(run.output)}"
        for run in (original, migrated)
        if not run.ok
    )
    reasons = list(failures)
    if not failures and not (original.losses or any(original.steps)):
        reasons.append("the original does not train: there is nothing to compare")
    if not failures and original.steps != migrated.steps:
        reasons.append(f"optimizer steps: {spell(original.steps)} in the original, {spell(migrated.steps)} migrated")
    if not failures and len(original.losses) != len(migrated.losses):
        reasons.append(f"losses: {len(original.losses)} in the original, {len(migrated.losses)} migrated")
    largest, divergent = compare_losses(original, migrated, tolerance)
    if divergent is not None:
        index, step = divergent
        reasons.append(
            f"loss {index + 1}, after {step} optimizer steps: {original.losses[index][1]:.9g} in the original, "
            f"{migrated.losses[index][1]:.9g} migrated"
        )
    distance = compare_parameters(original, migrated)
    if not failures and not distance <= tolerance.parameters:
        reasons.append(f"final parameters differ by {distance:.2g} of their norm")
    return Comparison(tuple(reasons), largest, distance, divergent[1] if divergent else None)


def compare_losses(original: Run, migrated: Run, tolerance: Tolerance) -> tuple[float, tuple[int, int] | None]:
    """The largest relative difference, and the index and step of the first loss beyond the tolerance."""
    largest, divergent = 0.0, None
    for index, ((step, left), (_, right)) in enumerate(zip(original.losses, migrated.losses, strict=False)):
        if left == right or (math.isnan(left) and math.isnan(right)):
            continue
        # NaN on one side, or infinity: as different as can be.
        finite = math.isfinite(left) and math.isfinite(right)
        scale = max(abs(left), abs(right), tolerance.smallest_loss)
        difference = abs(left - right) / scale if finite else math.inf
        largest = max(largest, difference)
        if divergent is None and difference > tolerance.loss:
            divergent = (index, step)
    return largest, divergent


def compare_parameters(original: Run, migrated: Run) -> float:
    """Distance of the sampled parameters over their norm; NaN when shapes or number differ or values are not finite.

    Runs without parameters (no optimizer ever stepped) are at distance 0.
    """
    if [item.shape for item in original.parameters] != [item.shape for item in migrated.parameters]:
        return math.nan
    distance = norm = 0.0
    for left, right in zip(original.parameters, migrated.parameters, strict=True):
        distance += sum((a - b) ** 2 for a, b in zip(left.elements, right.elements, strict=True))
        norm += sum(a**2 for a in left.elements)
    return math.sqrt(distance / norm) if norm > 0 else math.sqrt(distance)


def spell(steps: tuple[int, ...]) -> str:
    """ "20", or "20 + 4" for two optimizers."""
    return " + ".join(str(count) for count in steps) or "none"


def last_line(output: str) -> str:
    """The last line that says something: of a traceback, the exception."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "no output"
