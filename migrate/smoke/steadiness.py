"""Says whether the original is the same training each time it is run, and if not, from which step on and why.

It runs twice, undisturbed. Random numbers that come from outside and that one of the script's lines takes are pinned
(`child/pinning.py`); what is left is what nobody can pin, such as the order of a set of objects, which are ordered by
their addresses, or threads that race. A migrated script is compared with it up to there, and nothing is proved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from migrate.smoke.compare import Tolerance
from migrate.smoke.record import Run
from migrate.smoke.tolerance import relative

SHARE = 0.1
"""Of what a migration may differ by, two runs of the original may: less is noise."""
UNKNOWN = (
    "no unseeded generator, clock or system's random number was seen; the order of a set of objects, threads and files "
    "that change are left"
)


@dataclass(frozen=True)
class Steadiness:
    """What two undisturbed runs of the original showed."""

    step: int | None = None
    """The first optimizer step, counted from 1, at which they differ; None: they do not."""
    how: str = ""
    """"loss 0.69 and 0.71"."""
    pinned: tuple[tuple[str, str], ...] = ()
    """What random numbers came from outside: what, and the script's line."""
    unseeded: bool = False
    """Whether the script draws random numbers and seeds none."""

    @property
    def lacks(self) -> tuple[str, ...]:
        """Why nothing can be proved."""
        if self.step is None:
            return ()
        seen = f"random numbers came from {self.listed}, pinned, and from elsewhere" if self.pinned else UNKNOWN
        return (f"two runs of the original differ from step {self.step} on ({self.how}): {seen}",)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was pinned."""
        said = (
            f"random numbers of the original came from {self.listed}: pinned on both sides" if self.pinned else "",
            "the original draws random numbers and seeds none: both sides start from one seed" if self.unseeded else "",
        )
        return tuple(filter(None, said))

    @property
    def listed(self) -> str:
        """`numpy.random.default_rng() without a seed (data.py:7), ...`."""
        return ", ".join(f"{what} ({site})" for what, site in self.pinned)

    def limit(self, tolerance: Tolerance, original: Run) -> Tolerance:
        """The tolerance, of what comes before the runs differ."""
        if self.step is None:
            return tolerance
        losses = sum(step + 1 < self.step for step, _ in original.first.losses)
        shortest = [known for known in (losses, tolerance.compared_losses) if known is not None]
        gradients = [known for known in (self.step - 1, tolerance.compared_gradients) if known is not None]
        return replace(
            tolerance,
            compared_losses=min(shortest),
            compared_gradients=min(gradients),
            chaotic_step=None,
            unsteady_step=self.step,
        )


def judge_steadiness(original: Run, again: Run | None, floor: Tolerance) -> Steadiness:
    """Compare two undisturbed runs of one script."""
    first = original.first
    unseeded = bool(first.drawn) and not first.seeded
    told = Steadiness(pinned=first.sources, unseeded=unseeded)
    if again is None or not original.ok:
        return told
    if not again.ok:
        return replace(told, step=1, how=f"the second run {again.ending.value}: {again.reason}")
    second = again.first
    for index, ((step, a), (_, b)) in enumerate(zip(first.losses, second.losses, strict=False)):
        if relative(a, b, floor.smallest_loss) > SHARE * floor.loss_at(index):
            return replace(told, step=step + 1, how=f"loss {a:.7g} and {b:.7g}")
    for step, (a, b) in enumerate(zip(first.gradients, second.gradients, strict=False)):
        if relative(a, b, floor.smallest_gradient) > SHARE * floor.gradient_at(step):
            return replace(told, step=step + 1, how=f"norm of the gradient {a:.7g} and {b:.7g}")
    if (first.steps, len(first.losses)) != (second.steps, len(second.losses)):
        fewer = min(sum(first.steps[:1]), sum(second.steps[:1]))
        return replace(told, step=fewer + 1, how=f"{sum(first.steps[:1])} and {sum(second.steps[:1])} optimizer steps")
    return told
