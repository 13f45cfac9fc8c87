"""How much two runs may differ and still be the same training.

Why these figures. With one generator of random numbers and float32 on both sides, native CPU and torch_xla on CPU
agree to 2e-7..3e-5 relative in the loss over 20 steps (MNIST with dropout, a VAE, DCGAN, a small ImageNet run), while
the migration errors that matter change a loss within a step or two by far more than 1e-3: an optimizer that holds the
parameters of before the move, a gradient clipped or divided twice, a loader that ends early, another seed. The floor
of 2e-4 lies between.

No fixed figure is sound for all scripts: rounding grows with the steps, and in a chaotic training past any bound (seen:
2e-7 at step 5, 2.7e-3 at step 8 with Adadelta at learning rate 1). So it is measured. The original runs a second time
with every parameter changed by 1e-7 of itself at each step and another number of threads; ten times the difference
that this made up to a step is allowed at that step. Where that passes the cap, the training itself no longer says
whether two runs are one, and the comparison ends before that step.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from migrate.smoke.record import Parameter, Run, Worker

FACTOR = 10.0
"""Allowed over measured: one disturbed run is one draw, and XLA orders its sums in a way of its own."""

LOSS_CAP, GRADIENT_CAP, PARAMETER_CAP = 2e-2, 2e-1, 1e-1
"""Beyond these a tolerance would let a migration error pass. Gradients and parameters are wider as their floors are."""

BIASED = 0.3
"""torch_xla's batch norm keeps the biased variance, (n - 1) / n of CUDA's for n values (2.1 and 2.9): its running
variances differ in every migrated script. Its running means, which are updated with them, do not."""


@dataclass(frozen=True)
class Tolerance:
    """How much two runs may differ. All are relative."""

    loss: float = 2e-4
    smallest_loss: float = 5e-3
    """Losses closer to zero are measured against this: the rounding of what they were computed from does not shrink."""
    gradient: float = 2e-3
    smallest_gradient: float = 1e-3
    parameters: float = 1e-2
    """Of the usual parameter, relative to its norm, where the noise of each was not measured."""
    ends: float = 1e-3
    """Of each value that is left, relative to its norm; ten times its own noise is allowed beyond."""
    copies: float = 1e-5
    """Of each value of a copy: a moving average that never moves is near to one that does."""
    option: float = 1e-6
    """Of an optimizer's option."""
    each: Mapping[str, Mapping[str, float]] | None = None
    """Measured: the noise of each value that is left, by its kind and name. None: the usual parameter counts."""
    losses: tuple[float, ...] = ()
    """Measured: one for each loss; beyond its end, and where nothing was measured, `loss` holds."""
    gradients: tuple[float, ...] = ()
    """Measured: one for each gradient."""
    compared_losses: int | None = None
    """Losses that can be compared before the training is chaotic; None: all."""
    compared_gradients: int | None = None
    chaotic_step: int | None = None
    """The first optimizer step, counted from 1, at which rounding alone decides; None: none did."""
    unsteady_step: int | None = None
    """The first one at which two undisturbed runs of the original differ; None: they do not."""
    noise: float | None = None
    """The largest relative difference of two losses of the two native runs; None when it was not measured."""

    def loss_at(self, index: int) -> float:
        """The tolerance of the loss of this index."""
        return self.losses[index] if index < len(self.losses) else self.loss

    def gradient_at(self, index: int) -> float:
        """The tolerance of the gradient norm of this index."""
        return self.gradients[index] if index < len(self.gradients) else self.gradient

    def floor_of(self, kind: str, name: str) -> float:
        """The floor of a value that is left."""
        if name.partition(" ")[0].endswith("running_var"):
            return BIASED
        return self.copies if kind == "copies" else self.ends


def measured_tolerance(
    native: Run, disturbed: Run, floor: Tolerance | None = None, each: Mapping[str, Mapping[str, float]] | None = None
) -> Tolerance:
    """The tolerance that two native runs of one script allow: never below `floor`, never above the caps.

    `each`: the noise of what they left. A run that failed measured nothing: `floor` is returned.
    """
    floor = floor or Tolerance()
    left, right = native.first, disturbed.first
    if not (native.ok and disturbed.ok and left.losses and right.losses):
        return replace(floor, each={} if each is not None else None)
    before, after = [value for _, value in left.losses], [value for _, value in right.losses]
    noise = [relative(a, b, floor.smallest_loss) for a, b in zip(before, after, strict=False)]
    losses = allow(noise, floor.loss, LOSS_CAP)
    norms = zip(left.gradients, right.gradients, strict=False)
    gradients = allow([relative(a, b, floor.smallest_gradient) for a, b in norms], floor.gradient, GRADIENT_CAP)
    compared = len(losses) if len(losses) < len(noise) or len(before) != len(after) else None
    chaotic = None
    if compared is not None:
        chaotic = left.losses[min(compared, len(before) - 1)][0] + 1
    moved = median_distance(left, right)
    return replace(
        floor,
        parameters=min(PARAMETER_CAP, max(floor.parameters, FACTOR * moved)) if moved == moved else floor.parameters,
        each=each,
        losses=losses,
        gradients=gradients,
        compared_losses=compared,
        compared_gradients=len(gradients) if len(gradients) < len(left.gradients) else None,
        chaotic_step=chaotic,
        noise=max(noise[: len(losses)], default=0.0),
    )


def allow(noise: Sequence[float], floor: float, cap: float) -> tuple[float, ...]:
    """What is allowed at each index, up to the first at which it would pass `cap`."""
    allowed, largest = [], 0.0
    for value in noise:
        largest = max(largest, value)
        if FACTOR * largest > cap:
            break
        allowed.append(max(floor, FACTOR * largest))
    return tuple(allowed)


def relative(a: float, b: float, smallest: float) -> float:
    """The difference of two values over the larger one, or over `smallest`; infinite when one is not finite."""
    if a == b or (math.isnan(a) and math.isnan(b)):
        return 0.0
    # NaN on one side, or infinity: as different as can be.
    if not (math.isfinite(a) and math.isfinite(b)):
        return math.inf
    return abs(a - b) / max(abs(a), abs(b), smallest)


def distances(left: Worker, right: Worker) -> dict[str, float]:
    """Distance over norm of each final parameter, by its name, or "#3" for the fourth of a run without names.

    Raises ValueError when the two do not hold the same parameters.
    """
    return apart(left.parameters, right.parameters)


def apart(left: Sequence[Parameter], right: Sequence[Parameter]) -> dict[str, float]:
    """The same of any two lists of parameters or buffers."""
    pairs = pair(left, right)
    found = {}
    for name, (a, b) in pairs.items():
        found[name] = distance(a, b)
    return found


def distance(left: Sequence[float], right: Sequence[float]) -> float:
    """Distance over norm; the distance itself from what is all zero, and none of what is not finite in the same way."""
    if left == right or (len(left) == len(right) and repr(left) == repr(right)):
        return 0.0
    if len(left) != len(right):
        return math.inf
    apart, norm = math.dist(left, right), math.hypot(*left)
    return apart / norm if norm > 0 and math.isfinite(norm) else apart


def pair(
    left: Sequence[Parameter], right: Sequence[Parameter]
) -> dict[str, tuple[tuple[float, ...], tuple[float, ...]]]:
    """The elements of each parameter on both sides: paired by name when all have one, else by position."""
    names = [[item.name for item in side] for side in (left, right)]
    ordered = [list(side) for side in (left, right)]
    named = all(all(side) and len(set(side)) == len(side) for side in names)
    if named and set(names[0]) == set(names[1]):
        by_name = {item.name: item for item in ordered[1]}
        ordered[1] = [by_name[name] for name in names[0]]
    if [item.shape for item in ordered[0]] != [item.shape for item in ordered[1]]:
        raise ValueError(f"{len(ordered[0])} parameters against {len(ordered[1])}, or of other shapes")
    return {
        a.name or f"#{index}": (a.elements, b.elements)
        for index, (a, b) in enumerate(zip(ordered[0], ordered[1], strict=True))
    }


def median_distance(left: Worker, right: Worker) -> float:
    """The median over the parameters of distance over norm; NaN when they cannot be paired, 0 without any."""
    try:
        found = distances(left, right)
    except ValueError:
        return math.nan
    return statistics.median(found.values()) if found else 0.0
