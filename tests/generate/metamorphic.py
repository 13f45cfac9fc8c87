"""Equivalent spellings of one program are to be migrated alike: no torch is needed to see that they are not.

Alike means: the same calls of torch_xla, as often, and the same silence or the same outcry. What differs is not always
a fault, but every difference is worth a look.
"""

from __future__ import annotations

import random
import re
from collections import Counter

from codemods.kit.targets import Target
from tests.generate.compose import compose
from tests.generate.dimensions import DIMENSIONS
from tests.generate.grammar import SIMPLEST, Vector, broken, random_vector, spell
from tests.generate.verdict import Migrated, migrate

EQUIVALENT = (
    "config", "container", "filled", "device", *(name for name in DIMENSIONS if name.startswith("storage_")),
    "data", "network", "criterion", "optimizer", "parameters", "guard",
)  # fmt: skip
"""Dimensions whose values all mean the same program."""
_CALLS = re.compile(r"\b(?:xm|xr|pl|xmp|torch_xla)\.([a-zA-Z_]+)\(")


def signature(migrated: Migrated) -> tuple[Counter[str], bool]:
    """The calls of torch_xla, how often each, and whether anything was said."""
    calls: Counter[str] = Counter()
    for text in migrated.sources.values():
        calls.update(_CALLS.findall(text))
    for name in ("device", "xla_device"):  # as often as a program spells its device
        calls[name] = min(calls[name], 1)
    return +calls, bool(migrated.said)


def differences(vector: Vector, target: Target) -> list[str]:
    """The dimensions in which the simplest spelling is migrated otherwise than the one chosen, and how."""
    wanted = signature(migrate(compose(vector), target))
    found = []
    for name in EQUIVALENT:
        other = {**vector, name: SIMPLEST[name]}
        if vector[name] == SIMPLEST[name] or broken(other):
            continue
        calls, said = signature(migrate(compose(other), target))
        if (calls, said) != wanted:
            more, less = wanted[0] - calls, calls - wanted[0]
            words = [f"+{call}" for call in sorted(more)] + [f"-{call}" for call in sorted(less)]
            words += ["said" if wanted[1] else "not said"] * (said != wanted[1])
            found.append(f"{name}={vector[name]}: {' '.join(words)}")
    return found


def campaign(count: int, seed: int, target: Target) -> int:
    """Look at random programs; print which spellings make a difference, and how often."""
    chance = random.Random(seed)
    counted: Counter[str] = Counter()
    for _ in range(count):
        vector = random_vector(chance)
        for difference in differences(vector, target):
            if not counted[difference]:
                print(f"{difference}\n    {spell(vector)}", flush=True)
            counted[difference] += 1
    for difference, times in counted.most_common():
        print(f"{times:5} {difference}")
    print(f"{count} programs, {sum(counted.values())} spellings that make a difference, {len(counted)} kinds")
    return 1 if counted else 0
