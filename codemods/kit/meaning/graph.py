"""What is on the device: pending work, marks that execute it, reads that wait for it, collectives in it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from codemods.kit.meaning import lone
from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.paths import Dead
from codemods.kit.meaning.record import COMPILED, MEETING, TOGETHER, Finding, Verdict
from codemods.kit.meaning.tensors import HOST, gather, is_tensor, is_unknown
from codemods.kit.meaning.values import (
    FRESH,
    LOCAL,
    NO_TAINTS,
    OF_ALL,
    PERHAPS,
    RANK,
    VARYING,
    Choice,
    Function,
    Obj,
    Scope,
    Site,
    Sym,
    Taints,
    Value,
    data_of,
    is_a,
)

WRITTEN = "files written"
"""The field of the world that holds what was written since all processes met, each with what shows it: a tuple."""


class May(frozenset[Any]):
    """A set of what may be; two paths together may do what either does."""

    def join(self, other: May) -> May:
        return May(self | other)


class Waiting(tuple[Any, ...]):
    """What is to run later, in order; after two paths together what either left."""

    def join(self, other: Waiting) -> Waiting:
        return Waiting((*self, *(one for one in other if one not in self)))


class Least(int):
    """How often something happened at least; two paths together do it as often as the one that does it less."""

    def join(self, other: Least) -> Least:
        return Least(min(self, other))


def start(machine: Machine) -> None:
    """The state of a device on which nothing ran."""
    machine.world.fields.update(pending=May(), generation=May({0}), several=False, no_sync=False, no_grad=False)
    machine.world.fields.update({"autocast": False, "launched": False, "shuffled": May(), "gradients looked at": May()})
    machine.world.fields["joined"] = False
    machine.world.fields.update({lone.LEFT: lone.Lone(), lone.CHANCE: lone.Lone()})
    machine.world.fields.update({seeded(one): False for one in ("torch", "random", "numpy")})
    machine.world.fields.update(marks=Least(0), steps=Least(0), reads=May(), closures=Waiting())


def seeded(library: str) -> str:
    """The field of the world that says whether all processes draw the same random numbers of a library."""
    return "seeded" if library == "torch" else f"seeded {library}"


def pending(machine: Machine) -> May:
    """The work that no mark has executed: (kind, loop) pairs."""
    found = machine.world.fields["pending"]
    assert isinstance(found, May)
    return found


def loops(machine: Machine) -> tuple[Site, ...]:
    """The user's loops that run, outermost first."""
    return machine.loops()


def loops_started(machine: Machine) -> tuple[int, ...]:
    """When they began: what was made since has a higher serial number."""
    return tuple(loop.started for frame in machine.frames if not frame.model for loop in frame.loops)


def fresh(machine: Machine) -> Taints:
    """What tells in which loop random numbers were drawn."""
    started = loops_started(machine)
    return frozenset({(FRESH, started[-1])}) if started else NO_TAINTS


def happen(machine: Machine, kind: str, about: Any = None) -> None:
    """Write down an event."""
    machine.happen(kind, about)


def say(machine: Machine, obligation: str, verdict: Verdict, message: str, cause: Site | None = None) -> None:
    """Write down that an obligation does not hold here."""
    machine.record.add(Finding(obligation, verdict, machine.site, message, cause, machine.chain()))


def work(machine: Machine, kind: str, values: Iterable[Value] = ()) -> None:
    """Work is put into the pending graph; not if it is known to be the host's, by where all of `values` are."""
    where = {machine.facts.settle(one.fields.get("@device")) for one in values if isinstance(one, Obj)}
    if where == {HOST} and "default device" not in machine.world.fields:
        happen(machine, "on host", kind)
        return
    if machine.cuda:
        return
    inside = loops(machine)
    machine.heap.write(machine.world, "pending", May(pending(machine) | {(kind, inside[-1] if inside else None)}))


def mark(machine: Machine) -> None:
    """Execute what is pending: mark_step, sync, a device loader's next batch."""
    held = pending(machine)
    happen(machine, "mark", held)
    _meet_alike(machine)
    machine.heap.write(machine.world, "pending", May())
    machine.heap.write(machine.world, "generation", May({machine.heap.serial()}))
    machine.heap.write(machine.world, "marks", Least(machine.world.fields["marks"] + 1))
    _run_deferred(machine)


def _meet_alike(machine: Machine) -> None:
    """A graph with a collective is executed: say what of it not all processes have."""
    meets = any(kind == "reduce" for kind, _ in pending(machine))
    alone, drawn = lone.execute(machine), lone.drawn(machine)
    for site in alone if meets else ():
        message = "one process alone computes this, and it becomes part of a graph with a collective: the others, \
whose graph is another one, wait for ever"
        verdict = Verdict.OPEN if machine.legacy else Verdict.VIOLATED
        machine.record.add(Finding(TOGETHER, verdict, site, message))
    for site in drawn if meets else ():
        message = "each process draws for itself what it computes here, in a graph with a collective"
        if machine.legacy:
            machine.record.add(Finding(COMPILED, Verdict.COST, site, f"{message}: their graphs are other ones"))
        else:
            message += ": those that drew otherwise wait for each other for ever, where no seed makes them draw alike"
            machine.record.add(Finding(TOGETHER, Verdict.VIOLATED, site, message))


def defer(machine: Machine, function: Value, arguments: Value) -> None:
    """A step closure: it runs right after the next mark."""
    happen(machine, "closure")
    work(machine, "closure")
    waiting = machine.world.fields["closures"]
    machine.heap.write(machine.world, "closures", Waiting((*waiting, (function, arguments))))


def filled_later(machine: Machine, owner: Obj) -> bool:
    """Whether a step closure that waits for its mark names an object, and so perhaps fills it."""
    for function, _ in machine.world.fields["closures"]:
        if not isinstance(function, Function):
            continue
        names = [one.id for one in ast.walk(function.node) if isinstance(one, ast.Name)]
        scope: Scope | None = function.scope
        while scope is not None:
            if any(scope.fields.get(name) is owner for name in names):
                return True
            scope = scope.parent
    return False


def _run_deferred(machine: Machine) -> None:
    """What step closures read costs no execution: their graph was executed by the mark."""
    waiting, reads = machine.world.fields["closures"], machine.world.fields["reads"]
    machine.heap.write(machine.world, "closures", Waiting())
    for function, arguments in waiting:
        mark = machine.heap.mark()
        try:
            machine.call(function, *(machine.elements(arguments) if arguments is not None else ()))
        except Dead:
            machine.heap.undo(mark)
    if waiting:
        machine.heap.write(machine.world, "reads", reads)


def sure_counts(machine: Machine) -> tuple[int, int]:
    """How many marks and optimizer steps were made for certain."""
    return int(machine.world.fields["marks"]), int(machine.world.fields["steps"])


def generation(machine: Machine) -> frozenset[Any]:
    """Which pending graphs may be the present one."""
    return frozenset(("collective", one) for one in machine.world.fields["generation"])


def no_grad(machine: Machine) -> bool:
    """Whether nothing is remembered for backward here."""
    return machine.facts.settle(machine.world.fields["no_grad"]) is True


def several(machine: Machine) -> bool:
    """Whether more than one process runs this."""
    found = machine.facts.settle(machine.world.fields["several"])
    return any(found) if isinstance(found, Choice) else bool(found)


def differing(machine: Machine) -> Taints:
    """Why the present line may run in some processes and not in others."""
    return machine.taints_of_path() & {RANK, LOCAL}


def met(machine: Machine) -> None:
    """All processes have met: what one of them wrote before is written."""
    every = options_of(machine.facts, machine.world.fields.get(WRITTEN, ()))
    files = [file for one in every if isinstance(one, tuple) for file in one]
    if any(pending for _, _, pending in files):
        machine.heap.write(machine.world, WRITTEN, tuple((file, number, False) for file, number, _ in files))


def collective(machine: Machine, name: str, *values: Value) -> None:
    """All processes have to come here together."""
    happen(machine, "collective", name)
    met(machine)
    if machine.cuda:
        return
    for one in gather(machine, values).tensors:
        if "@replaced" in one.fields:
            continue  # what steps those of before a move says so
        if is_tensor(one) and machine.facts.settle(one.fields.get("@device")) == "cpu":
            say(
                machine,
                MEETING,
                Verdict.VIOLATED,
                f"{name} takes tensors of the device; this one is on the host",
                one.site,
            )
    if not several(machine):
        return
    why = differing(machine)
    if why:
        which = "the rank" if RANK in why else "values that each process has of its own"
        say(machine, TOGETHER, Verdict.VIOLATED, f"{name} waits for all processes, but {which} decides which come here")
    elif PERHAPS in machine.taints_of_path():
        message = f"{name} waits for all processes, but what was computed of each one's data decides which come here"
        say(machine, TOGETHER, Verdict.OPEN, message)


def read(machine: Machine, value: Value, how: str) -> Value:
    """The host asks for a tensor's value, and waits for it."""
    traits = gather(machine, (value,))
    if not traits.tensors and not is_a(value, "torch.nn.Module"):
        return Sym(("read", how, machine.site), traits.taints)
    happen(machine, "read", how)
    if machine.watcher is not None:
        machine.watcher.read(machine, how, traits)
    if not machine.cuda:
        lone.leave(machine, traits.tensors)
        hosts = bool(traits.tensors) and all(one.fields.get("@device") == HOST for one in traits.tensors)
        # What is there already executes nothing, nor does a value of which nothing says that a device made it.
        waits = any(_may_wait(one) for one in traits.tensors) or not traits.tensors
        _read_pending(machine, how, NO_TAINTS if hosts else traits.taints, waits)
        _materialise(machine, traits.tensors)
    taints = frozenset(one for one in traits.taints if not isinstance(one, tuple))
    if traits.deps and several(machine) and not taints & {LOCAL, OF_ALL} and _of_unread(machine, traits.taints):
        taints |= {PERHAPS}
    return Sym(("read", machine.heap.serial()), taints | {VARYING})


def _of_unread(machine: Machine, taints: Taints) -> bool:
    """Whether what is tainted so was made of data of which it is not known whether each process has its own."""
    unread = (event.about[2] for event in machine.record.of("fetch") if event.about[1] is None)
    return bool(data_of(taints)) and not taints.isdisjoint(("data", serial) for serial in unread)


SOME_READ = " on some processes executes a graph that holds a collective"


def _may_wait(value: Obj) -> bool:
    device = value.fields.get("@device")
    return device != HOST and (is_tensor(value) or device is not None or bool(value.fields.get("@deps")))


def _read_pending(machine: Machine, how: str, taints: Taints, waits: bool = True) -> None:
    machine.heap.write(machine.world, "reads", May(machine.world.fields["reads"] | {loops(machine)[-1:]}))
    if RANK in differing(machine) and several(machine) and taints & generation(machine):
        _stand_still(machine, how, taints & generation(machine))
    elif waits and loops(machine) and pending(machine):
        happen(machine, "early read", how)


def _stand_still(machine: Machine, how: str, held: Taints) -> None:
    """Some processes read what all of them would have to compute. The first of such reads is where it stands still."""
    record, key = machine.record, (TOGETHER, machine.site, None)
    first = tuple(record.stuck[one] for one in held if one in record.stuck)
    if key not in record.findings and len(first) == len(held):
        record.echoes[key] = first
    say(machine, TOGETHER, Verdict.VIOLATED, f"{how}{SOME_READ}: the others do not come to it")
    for one in held:
        record.stuck.setdefault(one, key)


def _materialise(machine: Machine, tensors: tuple[Obj, ...]) -> None:
    """What all processes have read is on the host side of the graph: no collective is pending in it any more."""
    if RANK in differing(machine):
        return
    for one in tensors:
        taints = taints_of(one)
        if taints & generation(machine) and is_tensor(one):
            machine.heap.write(one, "@taints", taints - generation(machine))


def taints_of(value: Value) -> Taints:
    """What taints a value by itself."""
    if isinstance(value, Sym):
        return value.taints
    if isinstance(value, Obj) and (is_tensor(value) or is_unknown(value)):
        found = value.fields.get("@taints", NO_TAINTS)
        return found if isinstance(found, frozenset) else NO_TAINTS
    return NO_TAINTS
