"""What a kind of breakage is, and which are set apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from tests.judge_mutants.planting import Source
from tests.judge_mutants.texts import Edit

Planting = Callable[[Source], Iterator[list[Edit]]]


@dataclass(frozen=True)
class Kind:
    """A way to break a program."""

    name: str
    about: str
    obligation: int
    plant: Planting
    parallel: bool
    """It breaks only what runs in several processes."""
    cost: bool
    """It breaks nothing but makes each iteration dear: a cost is what the judge has to say."""
    target: str | None
    both: bool
    """The original is changed in the same way: what is wrong is only that the migration did not keep up."""
    breaks: str
    """What a finding may stand at, besides the lines, their loops and names: `below`, the lines of the function that
    come after, or `training`, the loops that train.
    """
    apart: bool
    """Written by somebody who had not read the judge, and measured before anybody mended by it."""


KINDS: dict[str, Kind] = {}


def kind(
    obligation: int,
    *,
    parallel: bool = False,
    cost: bool = False,
    target: str | None = None,
    both: bool = False,
    breaks: str = "",
    apart: bool = False,
) -> Callable[[Planting], Planting]:
    """Register a function as a kind; its name and its documentation are the kind's."""

    def register(plant: Planting) -> Planting:
        name = plant.__name__
        about = (plant.__doc__ or "").strip()
        KINDS[name] = Kind(name, about, obligation, plant, parallel, cost, target, both, breaks, apart)
        return plant

    return register


apart = partial(kind, apart=True)
