"""What is assumed on a path, and values that depend on it: truth, assumption, choice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeGuard

from codemods.kit.meaning.values import (
    ABSENT,
    CONSTANTS,
    DIFFERS,
    ELEMENTS,
    NO_TAINTS,
    REST,
    UNBOUND,
    Bound,
    Choice,
    ClassValue,
    Function,
    Item,
    Key,
    Obj,
    Site,
    Sym,
    Taints,
    Value,
    container,
)

Fact = tuple[Key, bool]
MAX_OPTIONS = 6
"""A choice of more is not followed: what joins it is unknown."""


class Truth(NamedTuple):
    """Whether a value counts as true. `value` is None when not known; then `key` is true exactly when `when` holds."""

    value: bool | None
    key: Key = None
    when: bool = True
    taints: Taints = NO_TAINTS


def in_order(facts: Iterable[Fact]) -> list[Fact]:
    """Facts one after the other, in the same order whenever a program is executed: a set has another one each time.
    Keys are made of keys: to put them into words takes time, and is done once."""
    found = list(facts)
    return sorted(found, key=_spelled) if len(found) > 1 else found


@lru_cache(50_000)
def _spelled(key: Key) -> str:
    """A key in words that sort as what they name was made: how many objects there were before a program is not the
    same in each process, and "10" comes before "9"."""
    if isinstance(key, tuple):
        return f"({','.join(map(_spelled, key))})"
    if isinstance(key, frozenset):
        return f"{{{','.join(sorted(map(_spelled, key)))}}}"
    return f"{key:012}" if type(key) is int else repr(key)


_MADE_OF = frozenset({"not", "and", "or"})


def _is_composite(key: Key) -> TypeGuard[tuple[Any, ...]]:
    """Whether a key is made of others."""
    return type(key) is tuple and bool(key) and key[0] in _MADE_OF


class Facts:
    """What is assumed on the path that runs."""

    def __init__(self) -> None:
        self.known: dict[Key, bool] = {}
        self._denied: set[Fact] = set()
        """The opposite of each fact that is known. Sets know the hashes of their facts; a look-up works out a key's."""
        self._composite: dict[frozenset[Fact], tuple[Fact, ...]] = {}
        self.assumed: list[Fact] = []
        self.parting: dict[Key, tuple[Taints, Site]] = {}
        """Keys that may be true in some processes and false in others: why, and where that was asked."""
        self.meant: dict[Key, Sequence[tuple[frozenset[Fact], Truth]]] = {}
        """What the key of a choice stands for: whether each option counts as true."""
        self.taints: list[Taints] = []
        """The taints of the conditions that decide whether the path runs, innermost last."""

    def mark(self) -> int:
        """How much is assumed."""
        return len(self.assumed)

    def since(self, mark: int) -> frozenset[Fact]:
        """What has been assumed since a mark."""
        return frozenset(self.assumed[mark:])

    def forget(self, mark: int) -> None:
        """Assume only what was assumed at the mark."""
        while len(self.assumed) > mark:
            key, held = self.assumed.pop()
            self.known.pop(key, None)
            self._denied.discard((key, not held))

    def assume(self, key: Key, truth: bool) -> None:
        """Assume that a key is true or false, with what follows from that."""
        if key in self.known:
            return
        self.know(key, truth)
        self.assumed.append((key, truth))
        if isinstance(key, tuple) and key:
            if key[0] == "not":
                self.assume(key[1], not truth)
            elif (key[0] == "and" and truth) or (key[0] == "or" and not truth):
                self.assume(key[1], truth)
                self.assume(key[2], truth)
            elif key in self.meant:
                self._narrow(self.meant[key], truth)

    def _narrow(self, options: Iterable[tuple[frozenset[Fact], Truth]], truth: bool) -> None:
        """A choice counts as true, or as false: it is none of the options that certainly do not."""
        for conditions, one in options:
            if one.value is (not truth) and len(conditions) == 1:
                ((key, held),) = conditions
                self.assume(key, not held)

    def know(self, key: Key, truth: bool) -> None:
        """Take a key for true or false, on every path."""
        self.known[key] = truth
        self._denied.add((key, not truth))

    def of(self, key: Key) -> bool | None:
        """What is known of a key."""
        found = self.known.get(key)
        if found is not None or not _is_composite(key):
            return found
        if key[0] == "not":
            inner = self.of(key[1])
            return None if inner is None else not inner
        stops = key[0] == "or"
        left, right = self.of(key[1]), self.of(key[2])
        if left is stops or right is stops:
            return stops
        return not stops if left is not None and right is not None else None

    def allow(self, conditions: frozenset[Fact]) -> bool:
        """Whether nothing known speaks against the conditions."""
        if not conditions.isdisjoint(self._denied):
            return False
        composite = self._composite.get(conditions)
        if composite is None:
            composite = self._composite[conditions] = tuple(one for one in conditions if _is_composite(one[0]))
        return not composite or all(self.of(key) in (None, truth) for key, truth in composite)

    def bound(self, value: Value) -> Value:
        """The value without the options in which there is none; ABSENT when nothing is left."""
        if type(value) is not Choice:
            return ABSENT if value is UNBOUND else value
        value = self.settle(value)
        if value is UNBOUND:
            return ABSENT
        if not isinstance(value, Choice) or not any(one is UNBOUND for one in value):
            return value
        options = tuple(option for option in value.options if option[1] is not UNBOUND)
        return options[0][1] if len(options) == 1 else Choice(options)

    def part(self, key: Key, taints: Taints, site: Site) -> None:
        """Remember that a key decides otherwise in some processes, if that is so."""
        if taints & DIFFERS:
            self.parting.setdefault(key, (taints & DIFFERS, site))

    def parted(self, value: Choice) -> tuple[Taints, Site] | None:
        """Why some processes may have another of these values than others, and where that was decided."""
        if self.parting:
            for conditions, _ in value.options:
                for key, _ in in_order(conditions):
                    if key in self.parting:
                        return self.parting[key]
        return None

    def settle(self, value: Value) -> Value:
        """The value without options that cannot be on this path."""
        if type(value) is not Choice:
            return value
        options = [option for option in value.options if self.allow(option[0])]
        if options and all(one is options[0][1] for _, one in options):
            return options[0][1]
        if len(options) == len(value.options) or not options:
            return value
        return Choice(tuple(options))


def key_of(value: Value) -> Key:
    """A key that is equal for values that are surely the same."""
    if isinstance(value, Sym):
        return value.key
    if isinstance(value, CONSTANTS):
        return ("const", type(value).__name__, value)
    if isinstance(value, Obj):
        return ("object", value.serial)
    if isinstance(value, tuple):
        return ("tuple", *map(key_of, value))
    if isinstance(value, Function):
        place = value.node.lineno, value.node.col_offset, value.scope.serial
        return ("function", value.name, *place, *map(key_of, value.defaults))
    if isinstance(value, ClassValue):
        return ("class", value.name, value.space.serial)
    if isinstance(value, Bound):
        return ("bound", key_of(value.function), key_of(value.receiver))
    if isinstance(value, Choice):
        return ("choice", value.serial)
    return ("id", str(getattr(value, "name", "")), id(value))


LENGTH = "length of"
"""Begins the key of a length; after it comes that of whether there is anything."""


def truth(facts: Facts, value: Value) -> Truth:
    """Whether a value counts as true on this path."""
    value = facts.settle(value)
    if isinstance(value, Sym):
        key: Key = value.key
        if isinstance(key, tuple) and key[:1] == (LENGTH,):
            key = key[1]  # `if len(gpus):` asks what `if gpus:` does
        return Truth(facts.of(key), key, True, value.taints)
    if isinstance(value, Choice):
        return _truth_of_choice(facts, value)
    if isinstance(value, (*CONSTANTS, tuple)):
        return Truth(bool(value))
    if isinstance(value, Obj):
        return _truth_of_object(facts, value)
    return Truth(True)


def _truth_of_object(facts: Facts, value: Obj) -> Truth:
    if container(value):
        held = facts.settle(value.fields.get(ELEMENTS, ()))
        if isinstance(held, Choice) and REST not in value.fields:
            return _truth_of_choice(facts, held)
        if held or any(isinstance(one, Item) for one in value.fields):
            return Truth(True)
        if REST not in value.fields:
            return Truth(False)
        key: Key = ("filled", value.serial)
    elif isinstance(value.cls, ClassValue) and value.cls.known and value.cls.find("__bool__") is ABSENT:
        return Truth(True)
    else:
        key = ("true", value.serial)
    taints = value.fields.get("@taints", NO_TAINTS)
    return Truth(facts.of(key), key, True, taints if isinstance(taints, frozenset) else NO_TAINTS)


def _truth_of_choice(facts: Facts, value: Choice) -> Truth:
    found = [(conditions, truth(facts, one)) for conditions, one in value.options]
    values = {one.value for _, one in found}
    taints = frozenset[Any]().union(*(one.taints for _, one in found))
    parted = facts.parted(value)
    taints |= parted[0] if parted else NO_TAINTS
    if len(values) == 1 and None not in values:
        return Truth(found[0][1].value, taints=taints)
    if None not in values:
        # true exactly under one fact: the option's own key stands for it, so that later tests of it agree
        yes = [conditions for conditions, one in found if one.value]
        no = [conditions for conditions, one in found if not one.value]
        for key, held in in_order(yes[0]):
            if all((key, held) in one for one in yes) and all((key, not held) in one for one in no):
                return Truth(None, key, held, taints)
    itself = ("choice", value.serial)
    facts.meant[itself] = found
    return Truth(None, itself, True, taints)


def make_choice(options: Sequence[tuple[frozenset[Fact], Value]]) -> Value:
    """One value for several that hold under conditions; ABSENT entries are names that are not bound."""
    merged: list[tuple[frozenset[Fact], Value]] = []
    for conditions, value in options:
        value = UNBOUND if value is ABSENT else value
        inner = value.options if isinstance(value, Choice) else ((frozenset[Fact](), value),)
        for more, one in inner:
            both = conditions | more if more else conditions
            if not more or len(both) == len({key for key, _ in both}):  # no fact and its opposite
                _add(merged, both, one)
    if not merged:
        return options[0][1]
    if len(merged) > MAX_OPTIONS:
        merged = _loosely(merged)
    if all(_equal(one, merged[0][1]) for _, one in merged):
        return merged[0][1]
    return Choice(tuple(merged[:MAX_OPTIONS]))


def picked(key: Key, values: Sequence[Value]) -> Value:
    """One of several values; `key` says what decides. What is done to one is done to no other."""
    different: list[Value] = []
    for value in values:
        if not any(
            one is value or (type(one) is type(value) and isinstance(one, (*CONSTANTS, Sym)) and one == value)
            for one in different
        ):
            different.append(value)
            if len(different) == MAX_OPTIONS:
                break
    if len(different) == 1:
        return different[0]
    keys = [("pick", key, len(different), at) for at in range(len(different))]
    every = [
        (frozenset((one, one == mine) for one in keys), value) for mine, value in zip(keys, different, strict=True)
    ]
    return make_choice(every)


def _equal(one: Value, other: Value) -> bool:
    if one is other:
        return True
    return type(one) is type(other) and isinstance(one, (*CONSTANTS, Sym, tuple)) and one == other


def _add(merged: list[tuple[frozenset[Fact], Value]], conditions: frozenset[Fact], value: Value) -> None:
    """Another option; one of the same value is put together with it where both together say exactly the same."""
    for at, (held, one) in enumerate(merged):
        if _equal(one, value):
            apart = held ^ conditions
            if held <= conditions:
                return
            if conditions <= held or (len(apart) == 2 and len({key for key, _ in apart}) == 1):
                merged[at] = (held & conditions, one)
                return
    merged.append((conditions, value))


def _loosely(options: list[tuple[frozenset[Fact], Value]]) -> list[tuple[frozenset[Fact], Value]]:
    """Each value once, under what all of its conditions share: it may seem possible where it is not."""
    merged: list[tuple[frozenset[Fact], Value]] = []
    for conditions, value in options:
        at = next((at for at, (_, one) in enumerate(merged) if _equal(one, value)), None)
        if at is None:
            merged.append((conditions, value))
        else:
            merged[at] = (merged[at][0] & conditions, value)
    return merged


def options_of(facts: Facts, value: Value) -> tuple[Value, ...]:
    """The values that are possible on this path."""
    value = facts.settle(value)
    return tuple(value) if isinstance(value, Choice) else (value,)
