"""Loops: `for`, `while`, and what leaves them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from codemods.kit.meaning.frames import Loop
from codemods.kit.meaning.graph import sure_counts
from codemods.kit.meaning.iteration import changed, standing_for_many, widen
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.partings import goes_round, part, rounds_of, while_holds
from codemods.kit.meaning.paths import Dead, Path, Stopped
from codemods.kit.meaning.record import Event
from codemods.kit.meaning.targets import assign_to
from codemods.kit.meaning.values import LOCAL, RANK, Value, is_a


def run_iteration(machine: Machine, loop: Loop, body: Callable[[], Any]) -> None:
    """One iteration of a loop. Raises Dead when no path reaches the loop's next iteration."""
    loop.iteration, loop.began = machine.heap.mark(), machine.heap.serial()
    assumed = machine.facts.mark()
    tainted = len(machine.facts.taints)
    machine.facts.taints.append(loop.differs)
    loop.continues = []
    alive = True
    try:
        body()
    except Dead:
        alive = False
    if loop.continues:
        paths = list(loop.continues)
        if alive:
            paths.append(Path(machine.facts.since(assumed), machine.heap.take_back(loop.iteration)))
        else:
            machine.heap.undo(loop.iteration)
        machine.facts.forget(assumed)
        machine.join(paths)
        alive = True
    machine.facts.forget(assumed)
    del machine.facts.taints[tainted:]
    loop.number += 1
    if not alive:
        raise Dead


def leave_loop(machine: Machine, loop: Loop, alive: bool) -> None:
    """Go on below a loop with what came out of it."""
    if not loop.breaks:
        if not alive:
            raise Dead
        return
    paths = list(loop.breaks)
    if alive:
        paths.append(Path(machine.facts.since(loop.facts), machine.heap.take_back(loop.mark)))
    else:
        machine.heap.undo(loop.mark)
    machine.facts.forget(loop.facts)
    machine.join(paths)


def for_(machine: Machine, node: ast.For | ast.AsyncFor) -> None:
    """A `for` statement."""
    iterated = machine.evaluate(node.iter)
    frame = machine.frame
    loop = Loop(node, machine.heap.mark(), machine.facts.mark(), machine.heap.serial())

    def each(element: Value) -> None:
        frame.line = node.lineno
        frame.loops.append(loop)
        depth = len(frame.loops)
        try:
            run_iteration(machine, loop, lambda: _turn(machine, node, element))
        finally:
            del frame.loops[depth - 1 :]
            frame.line = node.lineno  # the next element is made here, whatever making it does

    alive = True
    event(machine, "loop", node)
    if not frame.model:
        rounds = rounds_of(machine, iterated).where(node.iter)
        loop.rounds = rounds.taints
        goes_round(machine, rounds)
    try:
        machine.iterate(iterated, each)
    except Dead as dead:
        alive = False
        if loop.number == 1 and not isinstance(dead, Stopped):
            event(machine, "once", node)
    event(machine, "loop end", node)
    if alive and node.orelse:
        try:
            machine.execute(node.orelse)
        except Dead:
            alive = False
    leave_loop(machine, loop, alive)


def event(machine: Machine, kind: str, node: ast.AST) -> None:
    """Write down that a loop of the user's begins, turns or ends, with the marks made so far at least."""
    if not machine.frame.model:
        machine.frame.line = getattr(node, "lineno", machine.frame.line)
        machine.record.events.append(Event(kind, machine.site, about=sure_counts(machine)))


def _turn(machine: Machine, node: ast.For | ast.AsyncFor, element: Value) -> None:
    event(machine, "turn", node)
    if any(is_a(one, "torch.nn.Module") for one in (element if isinstance(element, tuple) else (element,))):
        event(machine, "turn of a module", node)
    assign_to(machine, node.target, element)
    machine.execute(node.body)


def while_(machine: Machine, node: ast.While) -> None:
    """A `while` statement. Its condition may hold; after the loop it does not."""
    frame = machine.frame
    loop = Loop(node, machine.heap.mark(), machine.facts.mark(), machine.heap.serial())
    endless = False
    event(machine, "loop", node)
    alive, second = True, False
    for _ in range(2):
        test = machine.truth(machine.evaluate(node.test))
        if test.value is False:
            break
        if not machine.frame.model:
            loop.rounds = while_holds(test).taints
            goes_round(machine, while_holds(test))
        endless = test.value is True
        before = machine.heap.mark()
        frame.loops.append(loop)
        depth = len(frame.loops)
        try:
            event(machine, "turn", node)
            with standing_for_many(machine):
                run_iteration(machine, loop, lambda: machine.execute(node.body))
        except Dead:
            alive = False
            break
        finally:
            del frame.loops[depth - 1 :]
        if not changed(machine, before):
            break
        widen(machine, before)
        if machine.repeating:
            break
        machine.repeating = second = True
    machine.repeating = machine.repeating and not second
    event(machine, "loop end", node)
    leave_loop(machine, loop, alive and not (endless and isinstance(node.test, ast.Constant)))


def break_(machine: Machine, node: ast.Break) -> None:
    loop = machine.frame.loops[-1]
    loop.differs |= machine.taints_of_path() & {RANK, LOCAL}
    part(machine, "break")
    loop.breaks.append(Path(machine.facts.since(loop.facts), machine.heap.written_since(loop.mark)))
    raise Dead


def continue_(machine: Machine, node: ast.Continue) -> None:
    loop = machine.frame.loops[-1]
    part(machine, "continue")
    loop.continues.append(Path(machine.facts.since(loop.facts), machine.heap.written_since(loop.iteration)))
    raise Dead
