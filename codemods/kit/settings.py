"""A dictionary of settings as it is written: its keys, and what gives each its value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

import libcst as cst


class _Unknown(Enum):
    UNKNOWN = "unknown"


UNKNOWN: Final = _Unknown.UNKNOWN
"""The value of what the source does not decide; also a key of a dictionary that has more in it than can be seen."""


@dataclass(frozen=True, eq=False)
class Entry:
    """One key of a dictionary, as it is written."""

    key: str
    value: cst.BaseExpression
    node: cst.Arg | cst.DictElement | cst.Assign
    """What gives the key its value: `key=value`, `"key": value`, or `settings["key"] = value`."""


@dataclass
class Entries:
    """The keys of a dictionary."""

    by_key: dict[str, Entry] = field(default_factory=dict)
    unsure: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    """Keys that it may have, with what gives each a value in some branch, as far as that can be seen."""
    complete: bool = True
    """Whether there are no keys but these."""

    def put(self, entry: Entry) -> None:
        """Set one key."""
        self.by_key[entry.key] = entry
        self.unsure.pop(entry.key, None)

    def doubt(self, key: str, *entries: Entry) -> None:
        """One key may have been set, by one of some entries, or deleted."""
        known = self.by_key.pop(key, None)
        self.unsure[key] = (*self.unsure.get(key, ()), *([known] if known is not None else []), *entries)

    def lose(self, key: str) -> None:
        """What one key has was changed in a way that is not followed."""
        self.by_key.pop(key, None)
        self.unsure[key] = ()

    def add(self, other: Entries) -> None:
        """Put another dictionary's keys over these; what cannot be seen of it may be over any of them."""
        for key in [] if other.complete else list(self.by_key):
            self.doubt(key)
        for key, entries in other.unsure.items():
            self.doubt(key, *entries)
        for entry in other.by_key.values():
            self.put(entry)
        self.complete = self.complete and other.complete

    def value(self, of: Callable[[cst.BaseExpression], Any]) -> dict[Any, Any]:
        """The dictionary, given what each value is; UNKNOWN stands for more keys than can be seen."""
        found: dict[Any, Any] = {key: of(entry.value) for key, entry in self.by_key.items()}
        found.update(dict.fromkeys(self.unsure, UNKNOWN))
        return found if self.complete else {**found, UNKNOWN: UNKNOWN}
