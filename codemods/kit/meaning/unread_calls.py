"""Calls of what is not read: what is given to it is lost from sight, and said to be."""

from __future__ import annotations

from collections.abc import Sequence

from codemods.kit.meaning import lone
from codemods.kit.meaning.classes import OUTPUT
from codemods.kit.meaning.graph import say, seeded
from codemods.kit.meaning.items import PREFIX
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.parameters import device_kind
from codemods.kit.meaning.record import MEETING, READ, Event, Verdict
from codemods.kit.meaning.states import PICKLED
from codemods.kit.meaning.tensors import ACCELERATORS, HOST, gather, is_tensor, is_unknown
from codemods.kit.meaning.values import (
    LOADED,
    RANK,
    Obj,
    Sym,
    Value,
    is_a,
)

WATCHED = ("torch.nn.Module", "torch.optim.Optimizer", "torch.utils.data.DataLoader", "torch.nn.Parameter")
"""What must not be lost sight of."""


def call_unknown(machine: Machine, function: Value, arguments: Sequence[Value], keywords: dict[str, Value]) -> Value:
    """A call of what is not read: its result is unknown, and depends on all that it was given."""
    if isinstance(function, Obj) and function.cls == "harmless":
        return function
    if isinstance(function, Obj) and function.cls == "module":
        return machine.unknown("a module is called")
    if isinstance(function, Sym):
        taints = gather(machine, arguments).taints
        if not any(isinstance(one, Obj) for one in arguments):
            return Sym(("called", function.key, machine.site), function.taints | taints)
    why = function.fields.get("@why", "") if isinstance(function, Obj) and is_unknown(function) else "a value"
    if str(why).startswith(("replace of", "removeprefix of")) and LOADED in gather(machine, (function,)).taints:
        machine.happen("unprefixed")
    if str(why).startswith("startswith of") and isinstance(function, Obj):
        return Sym((PREFIX, function.serial), gather(machine, (function,)).taints)
    if not machine.cuda and device_kind(machine, keywords.get("map_location")) in ACCELERATORS:
        message = "torch.load cannot put what it reads on an XLA device, and this call hands one on as its location"
        say(machine, READ, Verdict.OPEN, message)
    _left_on_host(machine, function, (*arguments, *keywords.values()))
    made = unread(machine, f"{why or 'a value'} is called", (function, *arguments, *keywords.values()))
    if isinstance(made, Obj) and isinstance(function, Obj) and OUTPUT in function.fields:
        made.fields[OUTPUT] = True
    return made


def _left_on_host(machine: Machine, function: Value, given: Sequence[Value]) -> None:
    """Say when a network that was loaded to the host gets tensors of the accelerator."""
    if machine.cuda or not isinstance(function, Obj) or function.fields.get("@device") != HOST:
        return
    if machine.legacy and PICKLED in machine.world.fields:
        return  # a network that is pickled on XLA comes back there, whatever map_location says (torch_xla 2.1)
    itself = str(function.fields.get("@why")).startswith(("what a checkpoint holds", "an element of", "an item of"))
    tensors = [one for one in gather(machine, given).tensors if is_tensor(one)]
    placed = {machine.facts.settle(one.fields.get("@device")) for one in tensors}
    if itself and LOADED in gather(machine, (function,)).taints and placed & set(ACCELERATORS):
        message = "what was loaded to the host is called with tensors of the accelerator"
        say(machine, MEETING, Verdict.VIOLATED, message, function.site)


def unread(machine: Machine, why: str, given: Sequence[Value]) -> Value:
    """What comes of handing values to something that is not read."""
    if "seed" in why:
        alike = RANK not in gather(machine, given).taints
        for library in ("torch", "random", "numpy"):
            machine.heap.write(machine.world, seeded(library), alike)
    watch(machine, given, why)
    traits = gather(machine, given)
    lone.leave(machine, traits.tensors)
    deps = traits.deps | modules_deps(machine, given)
    made = machine.unknown(why, traits.taints, deps)
    made.fields["@device"] = next(
        (one.fields["@device"] for one in traits.tensors if one.fields.get("@device") is not None), None
    )
    return made


def modules_deps(machine: Machine, given: Sequence[Value]) -> frozenset[Obj]:
    """The parameters of the modules among values: who gets a module may run it."""
    found: set[Obj] = set()
    for value in given:
        value = machine.facts.settle(value)
        if is_a(value, "torch.nn.Module"):
            found.update(
                one
                for one in machine.elements(machine.call(machine.attribute(value, "parameters")))
                if isinstance(one, Obj)
            )
    return frozenset(found)


def watch(machine: Machine, given: Sequence[Value], why: str) -> None:
    """Write down that something training depends on went where nobody can follow it."""
    for value in given:
        value = machine.facts.settle(value)
        kind = next((name for name in WATCHED if is_a(value, name)), None)
        if kind is None and "gradient" in gather(machine, (value,)).taints and not _copied_to_host(machine, value):
            kind = "gradients"
        if kind is not None:
            about = (kind, why, getattr(value, "site", None))
            machine.record.events.append(Event("lost", machine.site, machine.chain(), about=about))


def _copied_to_host(machine: Machine, value: Value) -> bool:
    """Whether all tensors of a value are copies on the host, which nothing can write through."""
    devices = {machine.facts.settle(one.fields.get("@device")) for one in gather(machine, (value,)).tensors}
    return devices == {HOST}
