"""Compares what two runs left behind, value by value: parameters, buffers, what optimizers and schedulers remember, and
copies of the model such as moving averages.

Each value is held against its own noise, the distance that a rounding alone made in a second run of the original. So a
bias in front of a batch norm, whose gradient is pure rounding, is left out, and a single parameter that is not trained
is seen among a thousand that are. Where no noise was measured the usual parameter counts, the median of all distances.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from migrate.smoke.evidence import Share
from migrate.smoke.record import Parameter, Worker
from migrate.smoke.tolerance import FACTOR, PARAMETER_CAP, Tolerance, distance

TITLES = {
    "parameters": "final parameter",
    "buffers": "final buffer",
    "optimizer_state": "optimizer state",
    "schedulers": "scheduler state",
    "copies": "copy of the model",
}
OPTION = " of group "
"""In the name of an optimizer's option, which is a number that a person wrote."""
SEVERAL = 3
"""Values of one kind that are named."""


@dataclass(frozen=True)
class Compared:
    """What came of comparing one kind of value."""

    share: Share
    off: tuple[tuple[str, float, float], ...] = ()
    """Beyond what is allowed, the worst first: name, distance, what was allowed."""
    missing: tuple[str, ...] = ()
    """What only the original has, or has in another shape or type."""
    found: dict[str, float] = field(default_factory=dict)
    """Every distance."""
    loose: tuple[str, ...] = ()
    """What rounding alone decides, which is not judged."""

    @property
    def worst(self) -> tuple[str, float]:
        """What is furthest off, of what is judged."""
        judged = ((name, apart) for name, apart in self.found.items() if name not in self.loose)
        return max(judged, key=lambda item: item[1] if item[1] == item[1] else math.inf, default=("", 0.0))

    def reasons(self, title: str) -> Iterator[str]:
        """Why it is another training, a sentence for each way."""
        if self.missing:
            more = f" (and {len(self.missing) - SEVERAL} more)" if len(self.missing) > SEVERAL else ""
            yield f"{title}: the migrated run has no {', no '.join(self.missing[:SEVERAL])}{more}"
        if self.off:
            name, apart, allowed = self.off[0]
            others = f" (and {len(self.off) - 1} more)" if len(self.off) > 1 else ""
            yield f"{title} {name} differs by {apart:.2g} of its norm, where {allowed:.2g} is allowed{others}"


def compare_values(
    left: Sequence[Parameter], right: Sequence[Parameter], allowed: Callable[[str], float | None]
) -> Compared:
    """One kind of value by name; a value whose tolerance is None is decided by rounding alone, and left out."""
    known = {item.name: item for item in right}
    found, off, missing, loose = {}, [], [], []
    for item in left:
        other = known.get(item.name)
        if other is None or other.shape != item.shape or other.dtype != item.dtype:
            missing.append(item.name if other is None else f"{item.name} of {describe(item)} ({describe(other)})")
            continue
        found[item.name] = apart = distance(item.elements, other.elements)
        limit = allowed(item.name)
        if limit is None:
            loose.append(item.name)
        elif not apart <= limit:
            off.append((item.name, apart, limit))
    off.sort(key=lambda item: -item[1] if item[1] == item[1] else -math.inf)
    share = Share(len(found) - len(loose), len(left))
    return Compared(share, tuple(off), tuple(missing), found, tuple(loose))


def describe(item: Parameter) -> str:
    """`(3, 4) float32`."""
    return f"shape {item.shape}{f' and type {item.dtype}' if item.dtype else ''}"


def allowance(kind: str, tolerance: Tolerance) -> Callable[[str], float | None]:
    """What each value of a kind may differ by: ten times its noise, and never less than a floor or the usual noise."""
    noise = (tolerance.each or {}).get(kind, {})
    usual = min(PARAMETER_CAP, FACTOR * statistics.median(noise.values())) if noise else 0.0

    def allowed(name: str) -> float | None:
        least = tolerance.option if OPTION in name else max(tolerance.floor_of(kind, name), usual)
        own = FACTOR * noise.get(name, 0.0)
        return max(least, own) if own <= PARAMETER_CAP else None

    return allowed


def compare_ends(left: Worker, right: Worker, tolerance: Tolerance) -> tuple[dict[str, Compared], list[str]]:
    """Every kind of what two processes left, and why that is another training; where noise was measured for each."""
    compared: dict[str, Compared] = {}
    reasons: list[str] = []
    for kind, title in TITLES.items():
        mine, theirs = values(left, right, kind)
        found = compare_values(mine, theirs, allowance(kind, tolerance))
        if kind in ("optimizer_state", "schedulers"):
            found = replace(found, missing=tuple(forgotten(found.missing)))
        elif kind in ("copies", "buffers") and len(found.missing) == len(mine):
            found = Compared(found.share)  # it has none of them: they are not compared, which is said
        compared[kind] = found
        reasons += found.reasons(title)
    return compared, reasons


def forgotten(missing: Sequence[str]) -> Iterator[str]:
    """What an optimizer or scheduler should remember; options and switches differ between classes of one purpose."""
    return (name for name in missing if OPTION not in name and not name.startswith("_"))


def values(left: Worker, right: Worker, kind: str) -> tuple[Sequence[Parameter], Sequence[Parameter]]:
    """The values of a kind on both sides, each with a name. Buffers are rank 0's: DDP overwrites those of others."""
    if kind == "copies":
        return pair_copies(left.copies, right.copies)
    if kind == "buffers" and left.rank:
        return (), ()
    mine, theirs = getattr(left, kind), getattr(right, kind)
    named = all(len({item.name for item in side}) == len(side) and all(item.name for item in side)
                for side in (mine, theirs))  # fmt: skip
    if named and {item.name for item in mine} & {item.name for item in theirs}:
        return mine, theirs
    return number(mine), number(theirs)


def number(items: Sequence[Parameter]) -> list[Parameter]:
    """The same, named by their places: "#3" is the fourth."""
    return [Parameter(item.shape, item.norm, item.elements, f"#{index}", item.dtype)
            for index, item in enumerate(items)]  # fmt: skip


def pair_copies(
    left: Sequence[Sequence[Parameter]], right: Sequence[Sequence[Parameter]]
) -> tuple[list[Parameter], list[Parameter]]:
    """Copies beside each other: each of the original with the nearest of the migrated that has the same names."""
    mine: list[Parameter] = []
    theirs: list[Parameter] = []
    free = list(right)
    for index, copy in enumerate(left):
        alike = [other for other in free if [item.name for item in other] == [item.name for item in copy]]
        nearest = min(alike, key=lambda other: furthest(copy, other), default=())
        free = [other for other in free if other is not nearest]
        for items, kept in ((copy, mine), (nearest, theirs)):
            kept += [Parameter(item.shape, item.norm, item.elements, f"{item.name} ({index + 1})", item.dtype)
                     for item in items]  # fmt: skip
    return mine, theirs


def furthest(left: Sequence[Parameter], right: Sequence[Parameter]) -> float:
    """How far two copies are apart in what differs most."""
    return max((distance(a.elements, b.elements) for a, b in zip(left, right, strict=True)), default=0.0)


def noise_of_ends(left: Worker, right: Worker) -> dict[str, dict[str, float]]:
    """How far apart two runs of one script are in each value, by kind."""
    return {kind: compare_values(*values(left, right, kind), lambda name: None).found for kind in TITLES}
