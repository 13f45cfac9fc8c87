"""What a kind of breakage is, and which are set apart."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, wraps

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


def apart(
    obligation: int,
    *,
    parallel: bool = False,
    cost: bool = False,
    target: str | None = None,
    both: bool = False,
    breaks: str = "",
    seen: bool = False,
) -> Callable[[Planting], Planting]:
    """Register a function as a kind that is set apart. What it writes uses no library that the file does not import.

    `seen` says that the judge has learned from it since.
    """

    def register(plant: Planting) -> Planting:
        @wraps(plant)
        def imported(source: Source) -> Iterator[list[Edit]]:
            yield from (edits for edits in plant(source) if _imported(source, "".join(one.text for one in edits)))

        made = kind(obligation, parallel=parallel, cost=cost, target=target, both=both, breaks=breaks, apart=not seen)
        return made(imported)

    return register


tuned = partial(apart, seen=True)
"""The same for kinds that were apart once."""

_LIBRARIES = ("torch_xla", "xm", "torch", "os", "time", "random", "copy", "itertools")


def _imported(source: Source, added: str) -> bool:
    """Whether the libraries that a text uses are imported there, or by the text."""
    imports = [node for node in ast.walk(source.tree) if isinstance(node, ast.Import)]
    bound = {one.asname or one.name.partition(".")[0] for node in imports for one in node.names}
    used = {name for name in _LIBRARIES if re.search(rf"(?<![\w.]){name}\.", added)}
    return all(name in bound or f"import {name}" in added for name in used)
