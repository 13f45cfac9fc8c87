"""Vectors of choices: valid ones at random, and a set that covers every pair of values."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import combinations

from tests.generate.dimensions import DIMENSIONS, RULES

Vector = dict[str, str]
"""A value of each dimension."""
Pair = tuple[tuple[str, str], tuple[str, str]]

SIMPLEST: Vector = {name: values[0] for name, values in DIMENSIONS.items()}
_ORDER = sorted(DIMENSIONS, key=lambda name: -sum(name in (rule[0], rule[2]) for rule in RULES))


def broken(vector: Mapping[str, str]) -> list[str]:
    """The rules that a vector, or a part of one, breaks."""
    return [
        f"{name} {vector[name]}: {other} {vector[other]}"
        for name, values, other, allowed in RULES
        if vector.get(name) in values and other in vector and vector[other] not in allowed
    ]


def complete(fixed: Mapping[str, str], chance: random.Random, density: float) -> Vector | None:
    """A valid vector with the values that are fixed; the others are not the simplest with this probability."""
    if broken(fixed):
        return None
    for _ in range(8):
        vector = dict(fixed)
        for name in _ORDER:
            if name in vector:
                continue
            simplest, *others = DIMENSIONS[name]
            chance.shuffle(others)
            wanted = [*others, simplest] if chance.random() < density else [simplest, *others]
            value = next((value for value in wanted if not broken({**vector, name: value})), None)
            if value is None:
                break
            vector[name] = value
        else:
            return {name: vector[name] for name in DIMENSIONS}
    return None


def random_vector(chance: random.Random, density: float = 0.0) -> Vector:
    """Some programs are plain but for a few choices, others take all they can get: each hides other faults."""
    vector = complete({}, chance, density or chance.choice((0.05, 0.1, 0.2, 0.4)))
    assert vector is not None
    return vector


def pairs(vector: Mapping[str, str]) -> Iterator[Pair]:
    """The pairs of values in a vector."""
    return combinations(sorted(vector.items()), 2)


def pairwise(seed: int = 0, tries: int = 6) -> list[Vector]:
    """Vectors in which each two values that go together meet: the most uncovered pair first, as dense as may be."""
    chance = random.Random(seed)
    missing = {
        ((name, value), (other, choice))
        for name, other in combinations(sorted(DIMENSIONS), 2)
        for value in DIMENSIONS[name]
        for choice in DIMENSIONS[other]
        if not broken({name: value, other: choice})
    }
    vectors = []
    while missing:
        pair = chance.choice(sorted(missing)) if len(missing) > 5_000 else min(missing)
        found = [vector for _ in range(tries) if (vector := complete(dict(pair), chance, chance.choice((0.6, 0.95))))]
        if not found:  # two values that a third dimension keeps apart
            missing.discard(pair)
            continue
        best = max(found, key=lambda vector: sum(pair in missing for pair in pairs(vector)))
        missing.difference_update(pairs(best))
        vectors.append(best)
    return vectors


def singles() -> Iterator[Vector]:
    """Each value by itself: all other choices are the simplest that go with it."""
    for name, values in DIMENSIONS.items():
        for value in values:
            vector = complete({name: value}, random.Random(0), 0.0)
            if vector is not None:
                yield vector


def spell(vector: Mapping[str, str]) -> str:
    """What of a vector is not the simplest: "device=index wrapper=ddp"."""
    return " ".join(f"{name}={value}" for name, value in vector.items() if value != SIMPLEST[name])


def parse(text: str) -> Vector:
    """The vector that `spell` wrote. Raises ValueError for what is no choice or breaks a rule."""
    chosen = dict(word.split("=", 1) for word in text.split())
    unknown = [f"{name}={value}" for name, value in chosen.items() if value not in DIMENSIONS.get(name, ())]
    vector = {**SIMPLEST, **chosen}
    if unknown or broken(vector):
        raise ValueError("; ".join([*unknown, *broken(vector)]))
    return vector
