"""The primitives models stand on: what `from meaning import ...` gives a model file."""

from __future__ import annotations

from typing import Any

from codemods.kit.meaning import (
    assumed,
    checkpoint_primitives,
    data_primitives,
    draws,
    graph,
    layers,
    module_primitives,
    operator_primitives,
    parameters,
    precision,
    process_primitives,
    python_primitives,
    shares,
    steps,
    tensor_primitives,
    weights,
)
from codemods.kit.meaning.graph import happen, say
from codemods.kit.meaning.imported import module_named
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.partings import part
from codemods.kit.meaning.paths import Stopped
from codemods.kit.meaning.record import Verdict
from codemods.kit.meaning.scripted import compile_script
from codemods.kit.meaning.tensors import gather, is_tensor, is_unknown
from codemods.kit.meaning.values import (
    ABSENT,
    DIFFERS,
    DRAWN,
    ELEMENTS,
    NO_TAINTS,
    OWN,
    RANK,
    Choice,
    ClassValue,
    Obj,
    Primitive,
    Scope,
    Site,
    Sym,
    Value,
    is_a,
)


def module(machine: Machine) -> Obj:
    """The module of all primitives."""
    made = Scope(Site("", 0), machine.heap.serial(), None, frozenset())
    made.cls = "module"
    made.fields.update({name: Primitive(name, run) for name, run in PRIMITIVES.items()})
    made.fields["cuda"] = machine.cuda
    made.fields["__name__"] = "meaning"
    return made


def _harmless(machine: Machine, name: Value = "") -> Value:
    """A function that does nothing to what it is given: logging, timing, drawing."""

    def run(machine: Machine, *arguments: Value, **keywords: Value) -> Value:
        if any(is_tensor(machine.facts.settle(one)) for one in (*arguments, *keywords.values())):
            graph.read(machine, (*arguments, *keywords.values()), str(name))
        return _quiet(machine, str(name))

    return Primitive(str(name), run)


def _quiet(machine: Machine, name: str) -> Obj:
    made = machine.unknown(f"{name} of a library that does nothing to training")
    made.cls = "harmless"
    return made


def _symbol(machine: Machine, name: Value, *taints: Value) -> Value:
    return Sym((str(name),), frozenset(taints))


def _option(machine: Machine, name: Value, kind: Value = None) -> Value:
    """What a command line gives for an option."""
    types = {"str": str, "int": int, "float": float, "bool": bool}
    given = machine.cuda and str(name).strip("-").replace("-", "_") == "local_rank"  # by the launcher of PyTorch
    return Sym((f"option {name}",), frozenset({RANK}) if given else NO_TAINTS, types.get(str(kind)))


def _by_default(machine: Machine, name: Value, text: Value) -> None:
    """Note what an option is where the command line says nothing."""
    machine.defaults[str(name)] = machine.facts.settle(text)


def _fresh(machine: Machine, name: Value, *taints: Value) -> Value:
    return machine.symbol(str(name), frozenset(taints))


def _parameter(machine: Machine, *sources: Value) -> Value:
    cls = next((one for one in sources if isinstance(one, ClassValue)), None)
    traits = gather(machine, [one for one in sources if not isinstance(one, ClassValue)])
    device = next((one.fields.get("@device") for one in traits.tensors), "cpu")
    fields = {
        "@device": device,
        "@deps": frozenset(),
        "@taints": traits.taints - {DRAWN},
        "@scalar": None,
        "@grad": "none",
        "@averages": False,
        "@own": steps.begins_alone(machine),
    }
    made = machine.new(cls, fields)
    parameters.note_pick(machine, made)
    return made


def _parameters(machine: Machine, owner: Value) -> Value:
    return machine.new("list", {ELEMENTS: tuple(parameters.parameters(machine, owner)), weights.ONCE: False})


def _require(machine: Machine, owner: Value, on: Value) -> None:
    """Whether a module's parameters are trained; of one that only some paths made or moved each that there is."""
    for one in parameters.parameters(machine, owner):
        for option in one if isinstance(one, Choice) else (one,):
            if isinstance(option, Obj):
                machine.heap.write(option, "requires_grad", on)


def _buffer(machine: Machine, owner: Obj, name: Value, value: Value) -> None:
    machine.heap.write(owner, name, value)
    machine.heap.write(owner, ("buffer", name), True)


def _place(machine: Machine, owner: Value, device: Value) -> None:
    parameters.place(machine, owner, parameters.device_kind(machine, device))


def _has_taint(machine: Machine, value: Value, taint: Value) -> bool:
    return taint in gather(machine, (value,)).taints


def _is_tensor(machine: Machine, value: Value) -> Value:
    value = machine.facts.settle(value)
    if is_unknown(value):
        return Sym(("is a tensor", value.serial))
    return is_tensor(value)


def _event(machine: Machine, kind: Value, about: Value = None) -> None:
    if kind != "alone" or graph.several(machine):
        happen(machine, str(kind), about)


def _say(machine: Machine, obligation: Value, message: Value, verdict: Value = "violated") -> None:
    say(machine, str(obligation), Verdict(str(verdict)), str(message))


def _set_world(machine: Machine, name: Value, value: Value) -> None:
    machine.heap.write(machine.world, str(name), value)


def _get_world(machine: Machine, name: Value) -> Value:
    return machine.world.fields.get(str(name))


def _end(machine: Machine) -> None:
    part(machine, "ends")
    raise Stopped


def _field(machine: Machine, owner: Value, name: Value, default: Value = None) -> Value:
    """A field of an object's own, past all properties; `default` where there is none."""
    found = owner.fields.get(name, ABSENT) if isinstance(owner, Obj) else ABSENT
    return default if found is ABSENT else machine.facts.settle(found)


def _held(value: Value) -> Value:
    """A parameter that an optimizer has on some paths only, as it is where the optimizer has it."""
    held = [one for one in value if one is not None] if isinstance(value, Choice) else []
    return held[0] if len(held) == 1 else value


def _is_class(machine: Machine, value: Value, name: Value) -> bool:
    return is_a(machine.facts.settle(value), str(name))


PRIMITIVES: dict[str, Any] = {
    **tensor_primitives.PRIMITIVES,
    **operator_primitives.PRIMITIVES,
    **module_primitives.PRIMITIVES,
    **checkpoint_primitives.PRIMITIVES,
    **process_primitives.PRIMITIVES,
    **layers.PRIMITIVES,
    **shares.PRIMITIVES,
    **assumed.PRIMITIVES,
    **precision.PRIMITIVES,
    **data_primitives.PRIMITIVES,
    **draws.PRIMITIVES,
    **python_primitives.PRIMITIVES,
    "harmless": _harmless,
    "symbol": _symbol,
    "fresh": _fresh,
    "option": _option,
    "rate": lambda machine, given=None: machine.happen("rate", gather(machine, (given,)).taints & (DIFFERS | {OWN})),
    "by_default": _by_default,
    "module_named": lambda machine, name: module_named(machine, name),
    "known_text": lambda machine, given=None: isinstance(machine.facts.settle(given), str),
    "parameter": _parameter,
    "parameters": _parameters,
    "buffer": _buffer,
    "require": _require,
    "place": _place,
    "capture": lambda machine, optimizer, given: steps.capture(machine, optimizer, given),
    "captured": lambda machine, optimizer: machine.new(
        "list", {ELEMENTS: tuple(map(_held, steps.captured(machine, optimizer)))}
    ),
    "compile_script": compile_script,
    "averages": lambda machine, owner: steps.averages(machine, owner),
    "backward": lambda machine, loss: weights.backward(machine, loss),
    "step": lambda machine, optimizer: machine.each(optimizer, lambda one: weights.step(machine, one)),
    "made_with": weights.made_with,
    "zero": lambda machine, given, kept=False: machine.each(
        given, lambda one: steps.zero(machine, one, machine.facts.settle(kept) is True)
    ),
    "clip": lambda machine, given, what="clip", norm=False: machine.each(
        given, lambda one: weights.clip(machine, one, what, norm)
    ),
    "reduce": lambda machine, given, mean=True: machine.each(
        given, lambda one: weights.reduce(machine, one, mean is True)
    ),
    "mark": lambda machine: graph.mark(machine),
    "read": lambda machine, value, how="read": graph.read(machine, value, how),
    "has_taint": _has_taint,
    "is_tensor": _is_tensor,
    "event": _event,
    "say": _say,
    "set_world": _set_world,
    "get_world": _get_world,
    "defer": lambda machine, function, arguments: graph.defer(machine, function, arguments),
    "end": _end,
    "field": _field,
    "is_one": lambda machine, value: machine.facts.settle(value) == 1,
    "is_class": _is_class,
    "unknown": lambda machine, why, *sources: machine.unknown(
        why, *(lambda t: (t.taints, t.deps))(gather(machine, sources))
    ),
}
