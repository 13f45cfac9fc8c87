"""Primitives of modules: they run, hold one another, and go into training."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from codemods.kit.meaning import graph, parameters, precision
from codemods.kit.meaning.attributes import set_attribute
from codemods.kit.meaning.graph import happen
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.record import MEETING, Verdict
from codemods.kit.meaning.tensor_primitives import by_option
from codemods.kit.meaning.tensors import ACCELERATORS, HOST, NO_DEPS, asks_where, combine, gather
from codemods.kit.meaning.values import (
    ELEMENTS,
    FROZEN,
    LOADED,
    NO_TAINTS,
    Choice,
    Item,
    Obj,
    Value,
    is_a,
)


def leaf(machine: Machine, module: Obj, *given: Value) -> Value:
    """A module of the library runs: its result depends on its parameters."""
    made = combine(machine, given)
    if isinstance(made, Choice):  # operands that are here or there: each is one case
        at = next(at for at, one in enumerate(given) if isinstance(machine.facts.settle(one), Choice))
        return machine.each(given[at], lambda one: leaf(machine, module, *given[:at], one, *given[at + 1 :]))
    device = machine.facts.settle(made.fields["@device"])
    own: list[Obj] = []
    held: list[Value] = []
    for one in parameters.each_parameter(machine, (value for _, value in parameters.slots(machine, module))):
        own.append(one)
        held.append(machine.facts.settle(one.fields.get("@device")))
        _meet(machine, module, held[-1], device, given)
    made.fields["@deps"] = (
        NO_DEPS
        if graph.no_grad(machine)
        else made.fields["@deps"] | frozenset(one for one in own if is_a(one, "torch.nn.Parameter"))
    )
    made.fields["@taints"] = made.fields["@taints"].union(*(inherited(one) for one in own), NO_TAINTS)
    made.fields["@scalar"] = False if device is not None else None
    low = precision.after_layer(machine, module, gather(machine, given).tensors)
    if low is not None:
        made.fields["@low"] = low
    where = next((one for one in held if one is not None), None)
    if where is not None and isinstance(where, str):
        made.fields["@device"] = where
    return made


def inherited(one: Value) -> frozenset[Any]:
    """The taints of a parameter that what is made with it has too."""
    taints = graph.taints_of(one) if isinstance(one, Obj) else NO_TAINTS
    return frozenset(
        taint for taint in taints if taint != LOADED and not (isinstance(taint, tuple) and taint[0] in ("data", FROZEN))
    )


def _meet(machine: Machine, module: Obj, held: Value, device: Value, given: tuple[Value, ...]) -> None:
    """Say when a module and what goes into it are on different devices; with which option, if one decides that."""
    if held in ACCELERATORS and device == HOST and gather(machine, given).tensors:
        source = next((t.site for t in gather(machine, given).tensors), None)
        message = "a tensor on the host goes into a module on the accelerator"
    elif held == HOST and device in ACCELERATORS:
        source, message = module.site, "a tensor on the accelerator goes into a module that is still on the host"
    else:
        return
    if asks_where(machine):
        return
    option = by_option(machine)
    graph.say(machine, MEETING, Verdict.OPEN if option else Verdict.VIOLATED, message + option, source)


def forwarded(machine: Machine, module: Obj, *given: Value) -> None:
    """A module is called: what runs on the device waits for a mark."""
    if not any(f.function is not None and f.function.name == "forward" for f in machine.frames):
        happen(machine, "forward", module.site)
        if graph.no_grad(machine):
            happen(machine, "only run", module.site)
            happen(machine, "mode", machine.facts.settle(machine.attribute(module, "training")))
        every = list(parameters.each_parameter(machine, parameters.parameters(machine, module)))
        held = ((one.site, machine.facts.settle(one.fields.get("@device"))) for one in every)
        happen(machine, "run", frozenset(one for one in held if isinstance(one[1], str)))
        inputs = gather(machine, given).tensors
        happen(machine, "devices", (_devices(machine, every), _devices(machine, inputs)))
        graph.work(machine, "forward", (*every, *inputs))


def _devices(machine: Machine, tensors: Iterable[Obj]) -> frozenset[Value]:
    """Where tensors may be; None among them where that is not known of one."""
    held = (machine.facts.settle(one.fields.get("@device")) for one in tensors)
    return frozenset(kind for one in held for kind in (one if isinstance(one, Choice) else (one,)))


def inner_modules(machine: Machine, module: Obj, deep: bool) -> Iterator[Obj]:
    """The modules in a module."""
    for name, value in list(module.fields.items()):
        if type(value) is Choice:
            machine.steps += 1
            value = machine.facts.settle(value)
        elif not isinstance(value, Obj):
            continue
        if name == "_children" and isinstance(value, Obj):
            every: list[Value] = list(machine.facts.settle(value.fields.get(ELEMENTS, ())) or ())
            every += [one for key, one in value.fields.items() if isinstance(key, Item)]
        else:
            every = list(value) if isinstance(value, Choice) else [value]
        for one in every:
            if is_a(one, "torch.nn.Module"):
                yield one
                if deep:
                    yield from inner_modules(machine, one, deep)


def train(machine: Machine, module: Obj, mode: Value) -> None:
    """A module and those in it go into training, or leave it."""
    for one in dict.fromkeys((module, *inner_modules(machine, module, True))):
        set_attribute(machine, one, "training", mode)


def _listed(machine: Machine, values: Any) -> Obj:
    return machine.new("list", {ELEMENTS: tuple(dict.fromkeys(values))})


PRIMITIVES: dict[str, Any] = {
    "leaf": leaf,
    "train": train,
    "modules": lambda machine, owner: _listed(machine, [owner, *inner_modules(machine, owner, True)]),
    "children": lambda machine, owner: _listed(machine, inner_modules(machine, owner, False)),
    "buffers": lambda machine, owner: _listed(machine, parameters.buffers(machine, owner)),
}
