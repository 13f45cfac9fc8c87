"""What is noted of weights when they get gradients, are clipped or stepped, and what is drawn into them."""

from __future__ import annotations

from collections.abc import Iterable

from codemods.kit.meaning import steps
from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.graph import fresh, happen, say, several
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.parameters import each_parameter, flatten
from codemods.kit.meaning.record import LATEST, Verdict
from codemods.kit.meaning.tensors import apart, gather, is_unknown
from codemods.kit.meaning.values import BY_WORLD, DRAWN, NO_TAINTS, Obj, Site, Value, by_age, is_a


def backward(machine: Machine, loss: Value) -> None:
    """`loss.backward()`: which weights it reaches, and whether they have a gradient already, perhaps."""
    traits = gather(machine, (loss,))
    every = [one for one in by_age(traits.deps) if is_a(one, "torch.nn.Parameter")]
    reached = [one for one in every if machine.facts.settle(one.fields.get("requires_grad", True)) is not False]
    if BY_WORLD in traits.taints:
        happen(machine, "divided loss")
    parted = apart(machine, (loss,))
    if parted and parted[1] & frozenset(reached) and several(machine):
        happen(machine, "apart", parted[0][1:])
    happen(machine, "reached", frozenset((one.serial, one.site) for one in reached))
    held = (machine.facts.settle(one.fields.get("@grad", steps.NONE)) for one in reached)
    happen(machine, "adds", any(one != steps.NONE for one in held))
    steps.backward(machine, loss)


def step(machine: Machine, optimizer: Value) -> None:
    """`optimizer.step()`: which weights it has, and where they are."""
    every = list(each_parameter(machine, steps.captured(machine, optimizer)))
    places = frozenset(kind for one in every for kind in options_of(machine.facts, one.fields.get("@device")))
    where = optimizer.site if isinstance(optimizer, Obj) else None
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
    steps.clip(machine, given, what, norm)
    every = flatten(machine, given)[0] if what == "clip" and not is_a(given, "torch.optim.Optimizer") else []
    for one in each_parameter(machine, every):
        moved = machine.facts.settle(one.fields.get("@replaced"))
        if isinstance(moved, Site):
            message = f"clips parameters of before the move at {moved}: they have no gradients"
            say(machine, LATEST, Verdict.VIOLATED, message, given.site if isinstance(given, Obj) else None)


def drawn(machine: Machine, tensor: Value, values: Value = False) -> Value:
    """A tensor of random numbers, which each process has drawn for itself unless they share a seed. `values`: of which
    no index is made."""
    if several(machine) and isinstance(tensor, Obj) and machine.facts.settle(tensor.fields.get("@device")) == "xla":
        happen(machine, "drawn on the device")
    if isinstance(tensor, Obj) and steps.begins_alone(machine) is True:
        taints = tensor.fields.get("@taints", NO_TAINTS)
        drawn_here = frozenset({DRAWN}) | (fresh(machine) if values is True else NO_TAINTS)
        tensor.fields["@taints"] = (taints if isinstance(taints, frozenset) else NO_TAINTS) | drawn_here
    return tensor


def drawn_into(machine: Machine, tensor: Obj, values: Iterable[Value]) -> None:
    """A parameter gets other values: its own in each process, if they are drawn there."""
    if is_a(tensor, "torch.nn.Parameter") and DRAWN in gather(machine, values).taints:
        machine.heap.write(tensor, "@own", True)
