"""What a network may take of the work. One that takes more is cut out, so that what trains it is still followed.

Making a network, running it and the `step` of an optimizer of the program's own have a share of what is left of an
entry's work. Beyond it they are taken back, and something stands for them of which little is known; that is said.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from codemods.kit.meaning import parameters
from codemods.kit.meaning.bounds import KEPT, MAX_BOUNDED, MAX_STEPS, SHARES
from codemods.kit.meaning.graph import no_grad
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.paths import Spent
from codemods.kit.meaning.record import Event, Part
from codemods.kit.meaning.tensors import NO_DEPS
from codemods.kit.meaning.unread_calls import modules_deps
from codemods.kit.meaning.values import Function, Obj, Primitive, Value


def in_share(
    machine: Machine, what: str, run: Callable[[], Value], instead: Callable[[], Value], most: int = MAX_STEPS
) -> Value:
    """What a piece of program gives; beyond its share of the work what `instead` gives, as if it had not been run."""
    machine.times[what] += 1
    part = Part(what, machine.times[what])
    machine.shared.append(what)
    before = len(machine.shared)
    whole, within = machine.most, machine.in_share
    left = 0 if part in machine.cuts else min(_share(machine), most)
    mark, assumed, tainted = machine.heap.mark(), machine.facts.mark(), len(machine.facts.taints)
    repeating, many = machine.repeating, machine.many_since
    events = len(machine.record.events)
    machine.most, machine.in_share = machine.steps + left, True
    try:
        return run()
    except Spent:
        machine.stopped = None
    finally:
        machine.most, machine.in_share = whole, within
    machine.heap.undo(mark)
    machine.facts.forget(assumed)
    del machine.facts.taints[tainted:]
    machine.repeating, machine.many_since = repeating, many
    machine.times.subtract(machine.shared[before:])
    del machine.record.events[events:], machine.shared[before:]
    machine.record.events.append(Event("cut", machine.site, machine.chain(), about=part))
    return instead()


def _share(machine: Machine) -> int:
    left = machine.most - machine.steps
    return left // 2 if machine.in_share else max(0, min(left // SHARES, left - machine.entry // KEPT))


def made(machine: Machine, name: str, run: Callable[[], Value]) -> Value:
    """A network, made; or one of which only is known that it has weights."""
    return in_share(machine, f"the making of {name}", run, lambda: _network(machine))


def _network(machine: Machine) -> Value:
    library = machine.library.load(machine, "torch.nn", machine.frame)
    return machine.call(machine.attribute(library, "Network"))


def ran(machine: Machine, module: Obj, name: str, run: Callable[[], Value]) -> Value:
    """What a network makes of what it is given; or something made with its weights."""

    def instead() -> Value:
        held = list(parameters.each_parameter(machine, parameters.parameters(machine, module)))
        made = machine.unknown(f"what {name} makes, which was not followed to its end")
        made.fields["@deps"] = NO_DEPS if no_grad(machine) else modules_deps(machine, [module])
        made.fields["@device"] = next((one.fields["@device"] for one in held), None)
        return made

    return in_share(machine, f"{name}.forward", run, instead)


def bounded(machine: Machine, function: Value, *given: Value, **more: Value) -> Value:
    """Call a function of the program of which not much depends."""
    name = function.name if isinstance(function, (Function, Primitive)) else "a function"
    instead = partial(machine.unknown, f"what {name} returns")
    return in_share(machine, name, lambda: machine.call(function, *given, **more), instead, MAX_BOUNDED)


PRIMITIVES = {"bounded": bounded}
