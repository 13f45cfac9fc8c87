"""What is noted of weights when they get gradients, are clipped or stepped, and what is drawn into them."""

from __future__ import annotations

from collections.abc import Iterable

from codemods.kit.meaning import lone, steps
from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.graph import fresh, happen, say, several
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.noise import note_drawn
from codemods.kit.meaning.parameters import each_parameter, flatten, is_there
from codemods.kit.meaning.record import LATEST, Verdict
from codemods.kit.meaning.tensors import apart, gather, is_unknown
from codemods.kit.meaning.values import (
    BY_WORLD,
    CONSTANTS,
    DIVIDED,
    DRAWN,
    NO_TAINTS,
    REST,
    Choice,
    Item,
    Obj,
    Site,
    Sym,
    Taints,
    Value,
    by_age,
    class_name,
    is_a,
)

ONCE = "@gone through"
"""The field of what `parameters()` gives with whether somebody went through it."""


def backward(machine: Machine, loss: Value) -> None:
    """`loss.backward()`: which weights it reaches, and whether they have a gradient already, perhaps."""
    traits = gather(machine, (loss,))
    every = [one for one in by_age(traits.deps) if is_a(one, "torch.nn.Parameter")]
    reached = [one for one in every if machine.facts.settle(one.fields.get("requires_grad", True)) is not False]
    if BY_WORLD in traits.taints:
        happen(machine, "divided loss")
    happen(machine, "loss", DIVIDED in traits.taints)
    lone.learn(machine, traits.taints)
    parted = apart(machine, (loss,))
    if parted and parted[1] & frozenset(reached) and several(machine):
        happen(machine, "apart", parted[0][1:])
    happen(machine, "reached", frozenset((one.serial, one.site) for one in reached))
    adds = (_is_left(one, machine.facts.settle(one.fields.get("@grad", steps.NONE))) for one in reached)
    happen(machine, "adds", any(adds))
    steps.backward(machine, loss)


def _is_left(parameter: Obj, gradient: Value) -> bool:
    """Whether a parameter has a gradient already, on some path on which it is there: of several networks of which one
    is picked, and cleared, the others keep theirs."""
    if not isinstance(gradient, Choice):
        return bool(gradient != steps.NONE)
    return any(one != steps.NONE and is_there(parameter, facts) for facts, one in gradient.options)


def step(machine: Machine, optimizer: Value) -> None:
    """`optimizer.step()`: which weights it has, and where they are."""
    every = list(each_parameter(machine, steps.captured(machine, optimizer)))
    places = frozenset(kind for one in every for kind in options_of(machine.facts, one.fields.get("@device")))
    where = optimizer.site if isinstance(optimizer, Obj) else None
    again = (
        machine.facts.settle(one.fields.get("@stepped")) is True and "@replaced" not in one.fields for one in every
    )
    if every and all(again):
        happen(machine, "stepped again", where)
    happen(machine, "stepped", (where, frozenset(one.serial for one in every), places))
    steps.step(machine, optimizer)


def reduce(machine: Machine, given: Value, mean: bool) -> None:
    """Gradients are averaged over the processes, if there are any."""
    every = list(each_parameter(machine, steps.given_to(machine, given)))
    held = {state for one in every for state in options_of(machine.facts, one.fields.get("@grad"))}
    if held == {steps.NONE} and several(machine) and not is_unknown(given):
        happen(machine, "reduced none", frozenset(one.site for one in every))
    steps.reduce(machine, given, mean)


def clip(machine: Machine, given: Value, what: str, norm: bool) -> None:
    """Gradients are clipped: those of weights of before a move have none."""
    _use_up(machine, given, what)
    steps.clip(machine, given, what, norm)
    every = flatten(machine, given)[0] if what == "clip" and not is_a(given, "torch.optim.Optimizer") else []
    for one in each_parameter(machine, every):
        moved = machine.facts.settle(one.fields.get("@replaced"))
        if isinstance(moved, Site):
            message = f"clips parameters of before the move at {moved}: they have no gradients"
            say(machine, LATEST, Verdict.VIOLATED, message, given.site if isinstance(given, Obj) else None)


def divided_by(value: Value) -> Taints:
    """What a tensor is tainted with that is divided by this."""
    if isinstance(value, Sym):
        return frozenset({BY_WORLD if "world size" in repr(value.key) else DIVIDED})
    return frozenset({DIVIDED}) if isinstance(value, (int, float)) and value != 1 else NO_TAINTS


def made_apart(machine: Machine, values: Iterable[Value]) -> None:
    """Some processes alone get other values of these parameters."""
    for one in each_parameter(machine, values):
        machine.heap.write(one, "@own", True)


def made_with(machine: Machine, optimizer: Obj, options: Value) -> None:
    """Note what an optimizer was told, as far as two programs can be compared by it."""
    held = {one.key: machine.facts.settle(value) for one, value in options.fields.items() if isinstance(one, Item)}
    said = {
        str(name): one if isinstance(one, CONSTANTS) else repr(getattr(one, "key", "")) for name, one in held.items()
    }
    happen(machine, "made with", (class_name(optimizer), tuple(sorted(said.items(), key=str)), REST in options.fields))


def _use_up(machine: Machine, given: Value, what: str) -> None:
    """What `parameters()` gave is a generator: who goes through it a second time finds nothing."""
    given = machine.facts.settle(given)
    if isinstance(given, Obj) and ONCE in given.fields and what == "clip":
        if machine.facts.settle(given.fields[ONCE]) is True:
            message = "this generator of parameters was gone through before: nothing is clipped"
            say(machine, "what trained still trains", Verdict.VIOLATED, message, given.site)
        machine.heap.write(given, ONCE, True)


def drawn(machine: Machine, tensor: Value, values: Value = False) -> Value:
    """A tensor of random numbers, which each process has drawn for itself unless they share a seed. `values`: of which
    no index is made."""
    if several(machine) and isinstance(tensor, Obj) and machine.facts.settle(tensor.fields.get("@device")) == "xla":
        happen(machine, "drawn on the device")
    note_drawn(machine)
    if isinstance(tensor, Obj) and steps.begins_alone(machine) is True:
        taints = tensor.fields.get("@taints", NO_TAINTS)
        drawn_here = frozenset({DRAWN}) | (fresh(machine) if values is True else NO_TAINTS)
        tensor.fields["@taints"] = (taints if isinstance(taints, frozenset) else NO_TAINTS) | drawn_here
    return tensor


def drawn_into(machine: Machine, tensor: Obj, values: Iterable[Value]) -> None:
    """A parameter gets other values: its own in each process, if they are drawn there."""
    if is_a(tensor, "torch.nn.Parameter") and DRAWN in gather(machine, values).taints:
        machine.heap.write(tensor, "@own", True)
