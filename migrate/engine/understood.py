"""What was understood of a program, as plain frozen values: what starts, what trains, on what, and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Fact:
    """One thing that is understood, and where it is written."""

    name: str
    text: str
    path: str = ""
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class Part:
    """A script that is run, or a loop, and what is known of it."""

    kind: str
    """`script`, `training loop` or `evaluation loop`."""
    path: str
    line: int
    """0: all of the file."""
    text: str
    """How it is written."""
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True)
class Understood:
    """What was understood of a program. Paths and lines are those of the original."""

    parts: tuple[Part, ...] = ()
    unclear: tuple[Fact, ...] = ()
    """What was not understood."""

    @property
    def trains(self) -> bool:
        """Whether there is anything to be said of training."""
        return any(part.kind != "script" for part in self.parts) or bool(self.unclear)

    def moved(self, name: Callable[[str], str], line: Callable[[str, int], int]) -> Understood:
        """The same with other names and lines for those it has."""

        def fact(one: Fact) -> Fact:
            return replace(one, path=name(one.path), lines=tuple(line(one.path, each) for each in one.lines))

        parts = tuple(
            replace(one, path=name(one.path), line=line(one.path, one.line), facts=tuple(map(fact, one.facts)))
            for one in self.parts
        )
        return Understood(parts, tuple(map(fact, self.unclear)))

    def to_dict(self) -> dict[str, Any]:
        """For JSON: plain values only."""

        def fact(one: Fact) -> dict[str, Any]:
            return {"name": one.name, "text": one.text, "path": one.path, "lines": list(one.lines)}

        def part(one: Part) -> dict[str, Any]:
            told = list(map(fact, one.facts))
            return {"kind": one.kind, "path": one.path, "line": one.line, "text": one.text, "facts": told}

        return {"parts": list(map(part, self.parts)), "unclear": list(map(fact, self.unclear))}
