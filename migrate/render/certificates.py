"""What was shown of the programs of a run, in words: a line for all of them, rows for each loop, whole certificates."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from migrate.migration import Migration

if TYPE_CHECKING:
    from migrate.engine.certificate import Certificate, Finding, LoopCertificate

GRAVEST_FIRST = ("violated", "open", "cost", "shown")
MEANS = {
    "shown": "holds on every path that was followed",
    "cost": "holds, at a price",
    "open": "not shown",
    "violated": "does not hold",
}
"""What each standing means, in the reports."""


class Certificates:
    """Those of a run, each once: the files of a program share theirs."""

    def __init__(self, migrations: Iterable[Migration] = ()) -> None:
        self._found: dict[int, Certificate] = {}
        for migration in migrations:
            self.add(migration)

    def add(self, migration: Migration) -> None:
        """Take in that of one file."""
        if migration.certificate is not None:
            self.take(migration.certificate)

    def take(self, certificate: Certificate) -> None:
        """Take in one."""
        self._found.setdefault(id(certificate), certificate)

    @property
    def telling(self) -> list[Certificate]:
        """Those that say anything: of a program without a loop nothing is shown."""
        return [one for one in self._found.values() if one.loops or one.findings]

    @property
    def line(self) -> str:
        """`certificate: 2 training loops: 2 shown`, of all together; empty when nothing was judged."""
        telling = self.telling
        if not telling:
            return ""
        loops = tuple(loop for one in telling for loop in one.loops)
        findings = tuple(finding for one in telling for finding in one.findings)
        return f"certificate: {type(telling[0])(loops, findings).summary}"

    def dicts(self) -> list[dict[str, Any]]:
        """The whole certificates as plain values, with the files of each program."""
        return [{"files": list(one.followed), **one.to_dict()} for one in self._found.values()]


def kind_of(loop: LoopCertificate) -> str:
    """What a loop does."""
    return "training loop" if loop.trains else "evaluation loop"


def by_standing(loop: LoopCertificate) -> Iterator[tuple[str, list[str]]]:
    """The obligations of a loop by how they stand, gravest first."""
    for standing in GRAVEST_FIRST:
        # That there is a cost is no obligation: where there is none, nothing is said.
        names = [
            "at a price, which is said below" if name == "cost" else name
            for name, one in loop.obligations
            if one.value == standing and (name, standing) != ("cost", "shown")
        ]
        if names:
            yield standing, names


def not_shown(loop: LoopCertificate) -> str:
    """What of a loop is not shown, in a few words; empty when all is, or its standing alone says it."""
    rows = [(standing, [name for name, one in loop.obligations if one.value == standing]) for standing in GRAVEST_FIRST]
    told = ((standing, names) for standing, names in rows if names and standing != "shown" and names != ["cost"])
    return ". ".join(f"{standing}: {'; '.join(names)}" for standing, names in told)


def gravest_first(findings: Iterable[Finding]) -> list[Finding]:
    """Findings by how grave they are, then by place."""
    return sorted(findings, key=lambda one: (GRAVEST_FIRST.index(one.standing.value), one.path, one.line))


# --- a certificate as text --------------------------------------------------------------------------------------------

Where = Callable[[str], str]
"""From `path:line` to how a person reads it."""
Source = Callable[[str], str]
"""From `path:line` to the line that stands there."""
_NAMES = 10
"""Columns of the words before what they are about."""


def certificate_lines(certificate: Certificate, where: Where, source: Source, width: int) -> Iterator[str]:
    """Loops with their obligations, then findings with their lines, in a width of so many columns."""
    for loop in certificate.loops:
        spot = f"{loop.path}:{loop.line}"
        yield from _headed(f"{where(spot)}  {kind_of(loop)}", source(spot), width)
        for standing, names in by_standing(loop):
            for first, name in zip([standing, *[""] * len(names)], names, strict=False):
                yield from _field(first, name, width)
        yield ""
    for standing, together in groupby(gravest_first(certificate.findings), key=lambda one: one.standing.value):
        for one in together:
            spot = f"{one.path}:{one.line}" if one.path else ""
            yield from _headed(f"{where(spot)}  {standing}" if spot else standing, source(spot), width)
            yield from _field("", one.message, width)
            if one.obligation != standing:
                yield from _field("breaks" if standing == "violated" else "of", one.obligation, width)
            for name, spots in (("made at", [one.cause] if one.cause else []), ("called at", one.chain)):
                for first, each in zip([name, *[""] * len(spots)], spots, strict=False):
                    yield _clipped(f"  {first:<{_NAMES}}{where(each)}  {source(each)}", width)
            yield ""


def _headed(head: str, line: str, width: int) -> Iterator[str]:
    yield head
    if line:
        yield _clipped(f"  | {line}", width)


def _field(name: str, text: str, width: int) -> Iterator[str]:
    indent = " " * (_NAMES + 4)
    yield from textwrap.wrap(
        text,
        max(width, _NAMES + 22),
        initial_indent=f"  {name:<{_NAMES}}",
        subsequent_indent=indent,
        break_on_hyphens=False,
    )


def _clipped(line: str, width: int) -> str:
    line = line.rstrip()
    return line if len(line) <= width else line[: width - 1] + "…"


# --- rows for tables --------------------------------------------------------------------------------------------------


def loop_rows(certificates: Sequence[Certificate]) -> Iterator[tuple[LoopCertificate, str, str, str]]:
    """Each loop of some certificates: what it is, how it stands, and what of it is not shown."""
    for certificate in certificates:
        for loop in certificate.loops:
            yield loop, kind_of(loop), loop.standing.value, not_shown(loop)
