"""Rendezvous by turns: the first process works while the others wait, and comes to one of its own afterwards.

Each of the two stands under a condition on the rank. What counts is that each process meets the same number of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from codemods.kit.meaning.record import Event, Record
from codemods.kit.meaning.values import Site

_RANKS = (("rank",), ("local rank",))


def by_turns(record: Record) -> set[Site]:
    """The rendezvous under a condition on the rank to which all processes come all the same."""
    groups: dict[Any, dict[Site, tuple[int, Event]]] = {}
    for at, event in enumerate(record.events):
        if event.kind == "in turn" and isinstance(event.about[0], str):
            key = (event.about[0], event.chain[:-1], event.site.path, event.site.function)
            groups.setdefault(key, {}).setdefault(event.site, (at, event))
    found: set[Site] = set()
    for group in groups.values():
        places = [at for at, _ in group.values()]
        between = [one for one in record.events[min(places) : max(places)] if one.kind == "collective"]
        if len(group) > 1 and all(one.site in group for one in between) and _all_meet(group.values()):
            found |= group.keys()
    return found


def _all_meet(group: Iterable[tuple[int, Event]]) -> bool:
    met = []
    for rank in range(3):
        conditions = [[(_value(key, rank), held, key) for key, held in event.about[1]] for _, event in group]
        every = [one for some in conditions for one in some]
        if any(value is None and "rank" in repr(key) for value, _, key in every):
            return False
        met.append(sum(all(value in (None, held) for value, held, _ in some) for some in conditions))
    return len(set(met)) == 1 and met[0] > 0


def _value(key: Any, rank: int) -> bool | None:
    """Whether a condition holds for the process of a number; None when it is about something else."""
    if not isinstance(key, tuple) or len(key) not in (2, 3):
        return None
    if key[0] == "not":
        inner = _value(key[1], rank)
        return None if inner is None else not inner
    if key[0] in ("or", "and"):
        sides = {_value(key[1], rank), _value(key[2], rank)}
        return None if None in sides else (True in sides if key[0] == "or" else False not in sides)
    if key[0] in ("==", "<"):
        left, right = (_number(one, rank) for one in key[1:])
        if left is not None and right is not None:
            return left == right if key[0] == "==" else left < right
    return None


def _number(key: Any, rank: int) -> int | None:
    if key in _RANKS:
        return rank
    return key[2] if isinstance(key, tuple) and key[:2] == ("const", "int") else None
