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
    return make_choice(list(zip(conditions, values, strict=True)))
