"""What the judge says of a program: plain frozen values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from migrate.engine.understood import Understood


class Standing(Enum):
    """How an obligation stands."""

    SHOWN = "shown"
    """It holds on every path that was followed."""
    COST = "cost"
    """It holds, at a price."""
    OPEN = "open"
    """It was not shown: something was not followed, or depends on what the program does not say."""
    VIOLATED = "violated"
    """It does not hold: the lines say why."""


@dataclass(frozen=True)
class Finding:
    """An obligation that is violated, open or costly at a place of the migrated program."""

    obligation: str
    standing: Standing
    path: str
    line: int
    """1-based, in the migrated text."""
    message: str
    source_line: int = 0
    """The line of the original it comes from; 0 when there is none."""
    cause: str = ""
    """`path:line` of the migrated text where what is wrong was made, if elsewhere."""
    chain: tuple[str, ...] = ()
    """`path:line` of the calls that lead there, outermost first."""
    hides: bool = False
    """What trains may be in what was not seen because of it."""
    noted: str = field(default="", compare=False)
    """The message with lines of the original where it names lines."""


@dataclass(frozen=True)
class LoopCertificate:
    """A loop that trains or evaluates, and how each obligation stands in it."""

    path: str
    line: int
    source_line: int
    trains: bool
    obligations: tuple[tuple[str, Standing], ...]

    @property
    def standing(self) -> Standing:
        """The worst of its obligations."""
        order = list(Standing)
        return max((standing for _, standing in self.obligations), key=order.index, default=Standing.OPEN)


@dataclass(frozen=True)
class Certificate:
    """What was shown of a program, and what was not."""

    loops: tuple[LoopCertificate, ...] = ()
    findings: tuple[Finding, ...] = ()
    steps: int = 0
    """The work the judge took, in expressions and statements."""
    followed: tuple[str, ...] = field(default=())
    """The files that were executed."""
    understood: Understood | None = None
    """What was understood of the original, where that was asked for."""

    @property
    def violated(self) -> tuple[Finding, ...]:
        """What does not hold."""
        return tuple(one for one in self.findings if one.standing is Standing.VIOLATED)

    @property
    def open(self) -> tuple[Finding, ...]:
        """What was not shown."""
        return tuple(one for one in self.findings if one.standing is Standing.OPEN)

    @property
    def standing(self) -> Standing:
        """The worst that was found."""
        every = [one.standing for one in self.findings] + [one.standing for one in self.loops]
        order = list(Standing)
        return max(every, key=order.index, default=Standing.SHOWN)

    @property
    def summary(self) -> str:
        """One line: `3 training loops: 2 shown, 1 violated`."""
        loops = Counter(one.standing for one in self.loops if one.trains)
        count = sum(loops.values())
        if not count and not self.findings:
            return "no training loop"
        said = [f"{loops[one]} {one.value}" for one in Standing if loops[one]]
        words = f"{count} training loop{'s' if count != 1 else ''}" + (f": {', '.join(said)}" if said else "")
        elsewhere = [
            f"{number} {what}"
            for number, what in ((len(self.violated), "violated"), (len(self.open), "not shown"))
            if number
        ]
        return words + (f" ({' and '.join(elsewhere)})" if elsewhere else "")

    def to_dict(self) -> dict[str, Any]:
        """For JSON: plain values only."""
        return {
            "standing": self.standing.value,
            "summary": self.summary,
            "loops": [
                {
                    "path": one.path,
                    "line": one.line,
                    "source_line": one.source_line,
                    "trains": one.trains,
                    "standing": one.standing.value,
                    "obligations": {name: standing.value for name, standing in one.obligations},
                }
                for one in self.loops
            ],
            "findings": [
                {
                    "obligation": one.obligation,
                    "standing": one.standing.value,
                    "path": one.path,
                    "line": one.line,
                    "source_line": one.source_line,
                    "message": one.message,
                    "cause": one.cause,
                    "chain": list(one.chain),
                }
                for one in self.findings
            ],
        }
