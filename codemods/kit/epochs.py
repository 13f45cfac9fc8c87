"""The loops over epochs around a loop over batches, and what each calls its epoch."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from codemods.kit.build import code_of
from codemods.kit.loops import BatchLoop, Loop

if TYPE_CHECKING:
    from codemods.kit.meaning.epochs import Telling
    from codemods.kit.script import Script

_RANGES = ("builtins.range", "tqdm.trange", "itertools.count")


def epoch_loops(script: Script, loop: BatchLoop) -> list[tuple[Loop, str]]:
    """The loops over epochs around a batch loop, each with the name of its epoch: of its function, or of those that
    call it."""
    found = []
    for start in _starts(script, loop):
        around = epochs_around(script, start)
        if around is not None:
            found.append(around)
    return found


def epochs_around(script: Script, loop: Loop | None) -> tuple[Loop, str] | None:
    """The innermost loop over epochs that a loop is or stands in, with the name of its epoch."""
    while loop is not None and not _epoch(script, loop):
        loop = script.tree.loop(loop)
    return (loop, _epoch(script, loop)) if loop is not None else None


def tellings(script: Script) -> tuple[Telling, ...]:
    """Where samplers are told the epoch that loaders get which are made elsewhere, or that an option chooses."""
    meaning = script.links.meaning
    every = meaning.epochs if meaning is not None and script.distributed else ()
    return tuple(one for one in every if script.data_parallel or one.chosen)


def is_repeated(script: Script, loop: BatchLoop) -> bool:
    """Whether some loop goes through a batch loop again and again, with a name for its rounds or without one."""
    return any(start is not None for start in _starts(script, loop))


def _starts(script: Script, loop: BatchLoop) -> list[Loop | None]:
    if loop.epochs is not None or loop.function is None:
        return [loop.epochs]
    return [script.tree.loop(call) for call in script.roles.call_sites(loop.function)]


def _epoch(script: Script, loop: Loop) -> str:
    """The name that has another value in each round of a loop: `for epoch in range(n)`, or the `epoch` of
    `while epoch < n` with `epoch += 1` in it. Empty where there is none."""
    if isinstance(loop, cst.For):
        if not isinstance(loop.target, cst.Name):
            return ""
        name = script.qualified(loop.iter.func) if isinstance(loop.iter, cst.Call) else None
        return loop.target.value if name in _RANGES or "epoch" in loop.target.value else ""
    return next((code_of(count) for count in _counters(script, loop)), "")


def _counters(script: Script, loop: cst.While) -> list[cst.Name]:
    """Names that a `while` counts up itself and that have a value before it."""
    tree = script.tree
    raised = [each for each in tree.inside(loop.body, cst.AugAssign) if tree.loop(each) is loop]
    counts = [each.target for each in raised if code_of(each).endswith("+= 1")]
    for assign in tree.inside(loop.body, cst.Assign):
        target = assign.targets[0].target
        if tree.loop(assign) is loop and code_of(assign.value) == f"{code_of(target)} + 1":
            counts.append(target)
    names = [count for count in counts if isinstance(count, cst.Name)]
    return [name for name in names if any(not tree.contains(loop, b.node) for b in script.names.bindings(name))]
