"""The smallest program that has the same fault: choices go back to the simplest, many at a time, then one by one."""

from __future__ import annotations

from collections.abc import Callable

from tests.generate.dimensions import DIMENSIONS
from tests.generate.grammar import SIMPLEST, Vector, broken
from tests.generate.verdict import Judgement


def shrink(vector: Vector, judge: Callable[[Vector, str], Judgement], fault: str = "") -> Vector:
    """The vector of a smaller program, with the first fault of this one and as silent as this one.

    `judge` is told which fault is wanted.
    """
    first = judge(vector, fault)
    wanted = fault or (first.faults or ("",))[0]
    outcome = first.outcome
    if wanted not in first.faults:
        return vector

    def same(candidate: Vector) -> bool:
        if broken(candidate):
            return False
        found = judge(candidate, wanted)
        return wanted in found.faults and found.outcome == outcome

    while True:
        smaller = _once(vector, same)
        if smaller == vector:
            return vector
        vector = smaller


def _once(vector: Vector, same: Callable[[Vector], bool]) -> Vector:
    changed = [name for name in DIMENSIONS if vector[name] != SIMPLEST[name]]
    size = (len(changed) + 1) // 2
    while size:
        for start in range(0, len(changed), size):
            names = [name for name in changed[start : start + size] if vector[name] != SIMPLEST[name]]
            candidate = {**vector, **{name: SIMPLEST[name] for name in names}}
            if names and same(candidate):
                vector = candidate
        size //= 2
    return vector
