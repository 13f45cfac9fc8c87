"""The two arms of an `if` whose condition can differ between the processes."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from codemods.kit.meaning.choices import Truth
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.paths import Spent
from codemods.kit.meaning.record import TOGETHER
from codemods.kit.meaning.values import DIFFERS


@contextmanager
def watched_arms(machine: Machine, test: Truth) -> Iterator[Callable[[Sequence[ast.stmt]], None]]:
    """Runs both arms: where they come to the same collectives, all processes meet whichever way they go.

    Where they all go the same way what one arm shows holds, whatever the other does.
    """
    if not test.taints & DIFFERS:
        yield machine.execute
        return
    events, said = machine.record.events, len(machine.record.findings)
    met: list[list[str]] = []

    def run(body: Sequence[ast.stmt]) -> None:
        start = len(events)
        machine.execute(body)
        met.append([str(one.about) for one in events[start:] if one.kind == "collective"])

    try:
        yield run
        same = len(met) == 2 and met[0] == met[1]
    except Spent:  # the other arm was not seen
        _forget(machine, said)
        raise
    if same:
        _forget(machine, said)


def _forget(machine: Machine, said: int) -> None:
    """Nobody waits in vain: take back what was said of that in the arms."""
    findings = machine.record.findings
    if len(findings) > said:
        for key in list(findings)[said:]:
            if key[0] == TOGETHER and "waits for all processes" in findings[key].message:
                del findings[key]
