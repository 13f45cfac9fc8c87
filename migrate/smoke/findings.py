"""What a run of a migrated script shows beyond its losses: rules over what it did, step by step.

Pure: a rule reads records and gives findings. Here are the rules that need the original's run; `order` has those about
one step, `marks` those about graphs, `passes` and `printed` compare loaders and printed lines.
"""

from __future__ import annotations

from collections.abc import Iterator

from migrate.smoke.exchanges import find_in_exchanges
from migrate.smoke.finding import Finding
from migrate.smoke.marks import find_in_graphs
from migrate.smoke.order import find_in_order
from migrate.smoke.passes import compare_passes
from migrate.smoke.printed import compare_output
from migrate.smoke.record import Ending, Run, Worker

__all__ = ["Finding", "find"]

COVERAGE = 0.01
"""Share of the module calls by which autocast coverage may differ: a region may begin a line earlier or later."""


def find(original: Run | None, migrated: Run, disturbed: Run | None = None) -> tuple[Finding, ...]:
    """Everything found in the run of a migrated script, errors first.

    `original`: the run it is measured against, or None when there is none. `disturbed`: the second run of the original
    that `measured_tolerance` is made from; without it printed lines are not compared.
    """
    found = [*find_in_order(original, migrated), *find_in_graphs(migrated.first), *find_in_exchanges(migrated)]
    if original is not None and original.ok and migrated.ok:
        found += find_in_comparison(original, migrated)
        if disturbed is not None and disturbed.ok and len(migrated.workers) == len(original.workers) == 1:
            found += [
                Finding("printed", difference.error, difference.text)
                for difference in compare_output(original.output, disturbed.output, migrated.output)
            ]
    unique = {(finding.kind, finding.text, finding.site): finding for finding in found}
    return tuple(sorted(unique.values(), key=lambda finding: not finding.error))


def find_in_comparison(original: Run, migrated: Run) -> Iterator[Finding]:
    """Rules that need the original's run."""
    left, right = original.first, migrated.first
    if right.without_gradient > left.without_gradient:
        yield Finding(
            "without-gradient",
            True,
            f"{right.without_gradient} of {len(right.parameters)} parameters of the optimizers never had a gradient "
            f"({left.without_gradient} in the original): is an optimizer older than the model's move to the device?",
        )
    if len(right.parameters) < len(left.parameters):
        yield Finding(
            "fewer-parameters",
            True,
            f"the optimizers hold {len(right.parameters)} parameters, {len(left.parameters)} in the original",
        )
    for generator in ("host", "device"):
        needed = generator == "host" or "device" in right.drawn
        if generator in left.seeded and generator not in right.seeded and needed:
            yield Finding(
                "not-seeded",
                True,
                f"the {generator}'s random numbers are drawn but not seeded, as the original does: "
                "each run is another training",
            )
    yield from compare_coverage(left, right)
    exact = len(original.workers) == len(migrated.workers)
    ended = original.ending is Ending.ENDED and migrated.ending is Ending.ENDED
    for text in compare_passes(left.passes, right.passes, exact=exact, ended=ended):
        yield Finding("loader", True, text)


def compare_coverage(left: Worker, right: Worker) -> Iterator[Finding]:
    """What autocast covers of the training steps, where the original uses it."""
    before, after = left.autocast, right.autocast
    if not before[0] or not sum(after):
        return
    if abs(before[0] / sum(before) - after[0] / sum(after)) > COVERAGE:
        yield Finding(
            "autocast",
            True,
            f"autocast covers {after[0]} of {sum(after)} module calls in training, "
            f"{before[0]} of {sum(before)} in the original",
        )
