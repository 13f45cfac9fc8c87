"""The two arms of an `if` whose condition can differ between the processes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import contextmanager

from codemods.kit.meaning.choices import Truth
from codemods.kit.meaning.graph import SOME_READ
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.paths import Spent
from codemods.kit.meaning.record import TOGETHER
from codemods.kit.meaning.values import DIFFERS, Site


@contextmanager
def watched_arms(machine: Machine, test: Truth) -> Iterator[Callable[[Sequence[ast.stmt]], None]]:
    """Runs both arms: where they come to the same collectives and reads, all processes meet whichever way they go.

    Where they all go the same way what one arm shows holds, whatever the other does.
    """
    if not test.taints & DIFFERS:
        yield machine.execute
        return
    events, said = machine.record.events, len(machine.record.findings)
    met: list[list[str]] = []
    read: list[set[Site]] = []

    def run(body: Sequence[ast.stmt]) -> None:
        start = len(events)
        machine.execute(body)
        met.append([str(one.about) for one in events[start:] if one.kind == "collective"])
        read.append({one.site for one in events[start:] if one.kind == "read"})

    try:
        yield run
    except Spent:  # the other arm was not seen
        _forget(machine, said, None)
        raise
    if len(met) == 2 and met[0] == met[1]:
        _forget(machine, said, read[0] & read[1])


def _forget(machine: Machine, said: int, read: Set[Site] | None) -> None:
    """Nobody waits in vain: take back what was said of that in the arms, and of what is read in both, or anywhere."""
    findings = machine.record.findings
    for key in list(findings)[said:] if len(findings) > said else ():
        if key[0] == TOGETHER:
            reads = SOME_READ in findings[key].message and (read is None or key[1] in read)
            if reads or "waits for all processes" in findings[key].message:
                del findings[key]
