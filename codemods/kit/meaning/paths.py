"""Paths through a program: how one ends, what it leaves, and what several become together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from codemods.kit.meaning.choices import Fact, make_choice
from codemods.kit.meaning.heap import Writes
from codemods.kit.meaning.values import (
    Value,
)


class Dead(Exception):
    """The path that runs has ended: it returned, left a loop, or the program stopped."""


class Returned(Dead):
    """The one path that a call still has returned: there is nothing to join."""

    def __init__(self, value: Value) -> None:
        self.value = value


class Stopped(Dead):
    """The path has ended with the program: it raised or left. Of several processes none goes on without the others."""


class Spent(Exception):
    """The work one entry point may take is done."""


class Path(NamedTuple):
    """One way through a piece of the program."""

    conditions: frozenset[Fact]
    writes: Writes
    value: Value = None


class Joins(Protocol):
    """A value that says itself what it and another of its kind become."""

    def join(self, other: Any) -> Any:
        """The value that stands for both."""


def join_values(conditions: Sequence[frozenset[Fact]], values: Sequence[Value]) -> Value:
    """One value for those that several paths left in one place."""
    first = values[0]
    if hasattr(type(first), "join") and not isinstance(first, (str, bytes)):
        if all(type(value) is type(first) for value in values):
            for value in values[1:]:
                first = first.join(value)
            return first
    options = list(zip(conditions, values, strict=True))
    return make_choice(_by_pick(options) if len(options) > 2 else options)


def _by_pick(options: list[tuple[frozenset[Fact], Value]]) -> list[tuple[frozenset[Fact], Value]]:
    """Where one of several was picked: what the same was left by all but one holds where that one was not picked."""
    if not any(isinstance(key, tuple) and key[:1] == ("pick",) for key, _ in options[0][0]):
        return options
    found: dict[int, tuple[frozenset[Fact], Value]] = {}
    for facts, value in options:
        found[id(value)] = (found[id(value)][0] & facts if id(value) in found else facts, value)
    return list(found.values())
