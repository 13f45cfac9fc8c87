"""The primitives models stand on: what `from meaning import ...` gives a model file."""

from __future__ import annotations

import contextlib
from typing import Any

from codemods.kit.meaning import data_primitives, graph, layers, parameters, python_primitives, steps, tensor_primitives
from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.graph import happen, say
from codemods.kit.meaning.machine import Dead, Machine, Stopped
from codemods.kit.meaning.record import Verdict
from codemods.kit.meaning.tensors import combine, gather, is_tensor, is_unknown, new_tensor
from codemods.kit.meaning.values import (
    ABSENT,
    ELEMENTS,
    LOCAL,
    NO_TAINTS,
    RANK,
    Choice,
    ClassValue,
    Function,
    Item,
    Obj,
    Primitive,
    Scope,
    Site,
    Sym,
    Value,
    container,
    is_a,
)

WORLD = ("world size",)


def module(machine: Machine) -> Obj:
    """The module of all primitives."""
    made = Scope(Site("", 0), machine.heap.serial(), None, frozenset())
    made.cls = "module"
    made.fields.update({name: Primitive(name, run) for name, run in PRIMITIVES.items()})
    made.fields["cuda"] = machine.cuda
    made.fields["__name__"] = "meaning"
    return made


def _tensor(
    machine: Machine, *sources: Value, device: Value = None, scalar: Value = None, taint: Value = None
) -> Value:
    taints = frozenset({taint}) if isinstance(taint, str) else NO_TAINTS
    traits = gather(machine, sources)
    where = parameters.device_kind(machine, device) if device is not None else "cpu"
    return new_tensor(machine, where, traits.deps, traits.taints | taints, scalar if isinstance(scalar, bool) else None)


def _operator(machine: Machine, name: Value, tensor: Value = True) -> Value:
    """A function of a library that makes a tensor of what it is given, and does nothing else."""

    shaped = str(name).endswith("_like") or name in ("torch.tril", "torch.triu")

    def run(machine: Machine, *arguments: Value, **keywords: Value) -> Value:
        device = keywords.pop("device", None)
        keywords.pop("**", None)
        given = (*arguments, *keywords.values())
        traits = gather(machine, given)
        if not traits.tensors and device is None:
            return new_tensor(machine, "cpu", traits.deps, traits.taints)
        if device is not None:
            return combine(machine, given, device=parameters.device_kind(machine, device), keeps=shaped)
        named = [one for value in keywords.values() for one in options_of(machine.facts, value)]
        numbers = any(map(is_unknown, named))
        return combine(machine, given, strict=str(name) in _JOINS, keeps=shaped, numbers=numbers)

    return Primitive(str(name), run)


_JOINS = frozenset(f"torch.{name}" for name in ("cat", "concat", "concatenate", "stack", "hstack", "vstack", "dstack"))


def _combine(machine: Machine, *values: Value) -> Value:
    return combine(machine, values)


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


def _fresh(machine: Machine, name: Value, *taints: Value) -> Value:
    return machine.symbol(str(name), frozenset(taints))


def _moved(machine: Machine, value: Value, device: Value) -> Value:
    """A value with all tensors in it on a device."""
    value = machine.facts.settle(value)
    kind = parameters.device_kind(machine, device)
    if isinstance(value, Choice):
        return machine.each(value, lambda one: _moved(machine, one, device))
    if isinstance(value, tuple):
        return tuple(_moved(machine, one, device) for one in value)
    if not isinstance(value, Obj):
        return value
    if is_tensor(value) or is_unknown(value):
        if kind is None or machine.facts.settle(value.fields.get("@device")) == kind:
            return value
        if is_a(value, "torch.nn.Parameter"):
            return combine(machine, (value,), device=kind)
        return Obj(value.cls, machine.site, machine.heap.serial(), {**_traits_only(value), "@device": kind})
    if container(value):
        fields = {
            n: _moved(machine, one, device) if n == "[*]" or isinstance(n, Item) else one
            for n, one in value.fields.items()
        }
        if ELEMENTS in fields:
            fields[ELEMENTS] = _moved(machine, fields[ELEMENTS], device)
        return machine.new(value.cls, fields)
    return value


def _traits_only(value: Obj) -> dict[Any, Value]:
    return {
        name: one for name, one in value.fields.items() if name in ("@deps", "@taints", "@scalar", "@why", "@device")
    }


def _device_kind(machine: Machine, *given: Value) -> Value:
    """The first of the values that names a device, as its kind."""
    for one in given:
        kind = parameters.device_kind(machine, one)
        if kind is not None:
            return kind
    return None


def _parameter(machine: Machine, *sources: Value) -> Value:
    cls = next((one for one in sources if isinstance(one, ClassValue)), None)
    traits = gather(machine, [one for one in sources if not isinstance(one, ClassValue)])
    device = next((one.fields.get("@device") for one in traits.tensors), "cpu")
    fields = {
        "@device": device,
        "@deps": frozenset(),
        "@taints": traits.taints,
        "@scalar": None,
        "@grad": "none",
        "@averages": False,
        "@own": steps.begins_alone(machine),
    }
    return machine.new(cls, fields)


def _parameters(machine: Machine, owner: Value) -> Value:
    return machine.new("list", {ELEMENTS: tuple(parameters.parameters(machine, owner))})


def _require(machine: Machine, owner: Value, on: Value) -> None:
    """Whether a module's parameters are trained; of one that only some paths moved both are."""
    for one in parameters.parameters(machine, owner):
        for option in one if isinstance(one, Choice) else (one,):
            machine.heap.write(option, "requires_grad", on)


def _buffer(machine: Machine, owner: Obj, name: Value, value: Value) -> None:
    machine.heap.write(owner, name, value)
    machine.heap.write(owner, ("buffer", name), True)


def _place(machine: Machine, owner: Value, device: Value) -> None:
    parameters.place(machine, owner, parameters.device_kind(machine, device))


def _launch(machine: Machine, function: Value, arguments: Value = (), *more: Value) -> None:
    """Start the processes: from here on there are several, each running the function with its rank."""
    happen(machine, "launch", [frame.function is None for frame in machine.frames if not frame.model] == [True])
    _become_several(machine)
    given = tuple(machine.elements(arguments)) if arguments is not None else ()
    _check_arity(machine, function, 1 + len(given))
    with contextlib.suppress(Dead):
        machine.call(function, Sym(("rank",), frozenset({RANK})), *given)


def _check_arity(machine: Machine, function: Value, count: int) -> None:
    function = machine.facts.settle(function)
    if isinstance(function, Function):
        node = function.node.args
        most = len(node.posonlyargs) + len(node.args)
        least = most - len(function.defaults)
        if (not least <= count and node.vararg is None) or (count > most and node.vararg is None):
            message = (
                f"`{function.name}` is started with {count} arguments, and takes {most if count > most else least}"
            )
            where = Site(str(function.module.fields.get("__path__", "")), getattr(function.node, "lineno", 0))
            say(machine, "what is written runs on torch_xla", Verdict.VIOLATED, message, where)


def _become_several(machine: Machine) -> None:
    machine.heap.write(machine.world, "several", True)


def _world_size(machine: Machine) -> Value:
    return Sym(WORLD) if graph.several(machine) else 1


def _rank(machine: Machine, name: Value = "rank") -> Value:
    return Sym((str(name),), frozenset({RANK})) if graph.several(machine) else 0


def _shared(machine: Machine, value: Value) -> Value:
    """A value that all processes have alike: the result of a reduction."""
    value = machine.facts.settle(value)
    if isinstance(value, Sym):
        return Sym(("shared", value.key), value.taints - {LOCAL, RANK})
    if is_tensor(value) or is_unknown(value):
        steps.made_equal(machine, (value,))
        taints = graph.taints_of(value) - {LOCAL, RANK}
        machine.heap.write(value, "@taints", taints | (frozenset() if machine.cuda else graph.generation(machine)))
    elif isinstance(value, Obj) and container(value):
        for one in machine.elements(value):
            _shared(machine, one)
    return value


def _tainted(machine: Machine, value: Value, *taints: Value) -> Value:
    value = machine.facts.settle(value)
    more = frozenset(taints)
    if isinstance(value, Sym):
        return Sym(value.key, value.taints | more)
    if isinstance(value, tuple):
        return tuple(_tainted(machine, one, *taints) for one in value)
    if isinstance(value, Obj) and (is_tensor(value) or is_unknown(value)):
        return Obj(
            value.cls, value.site, machine.heap.serial(), {**value.fields, "@taints": graph.taints_of(value) | more}
        )
    if isinstance(value, Obj) and container(value):
        fields = {
            n: _tainted(machine, one, *taints) if n in (ELEMENTS, "[*]") or isinstance(n, Item) else one
            for n, one in value.fields.items()
        }
        return machine.new(value.cls, fields)
    return value


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


def _seeded(machine: Machine, seed: Value) -> None:
    """Random numbers of the host begin with a seed: all processes draw the same, unless it is the rank's."""
    if machine.watcher is not None:
        machine.watcher.seed()
    happen(machine, "seed", "torch")
    machine.heap.write(machine.world, "seeded", RANK not in gather(machine, (seed,)).taints)


def _lost(machine: Machine, value: Value, why: Value) -> None:
    kind, site = (getattr(value.cls, "name", ""), value.site) if isinstance(value, Obj) else ("", None)
    happen(machine, "lost", (kind, str(why), site))


def _say(machine: Machine, obligation: Value, message: Value, verdict: Value = "violated") -> None:
    say(machine, str(obligation), Verdict(str(verdict)), str(message))


def _set_world(machine: Machine, name: Value, value: Value) -> None:
    machine.heap.write(machine.world, str(name), value)


def _get_world(machine: Machine, name: Value) -> Value:
    return machine.world.fields.get(str(name))


def _end(machine: Machine) -> None:
    raise Stopped


def _field(machine: Machine, owner: Value, name: Value, default: Value = None) -> Value:
    """A field of an object's own, past all properties; `default` where there is none."""
    found = owner.fields.get(name, ABSENT) if isinstance(owner, Obj) else ABSENT
    return default if found is ABSENT else machine.facts.settle(found)


def _held(value: Value) -> Value:
    """A parameter that an optimizer has on some paths only, as it is where the optimizer has it."""
    held = [one for one in value if one is not None] if isinstance(value, Choice) else []
    return held[0] if len(held) == 1 else value


def _known(machine: Machine, value: Value) -> bool:
    return not is_unknown(machine.facts.settle(value))


def _is_class(machine: Machine, value: Value, name: Value) -> bool:
    return is_a(machine.facts.settle(value), str(name))


PRIMITIVES: dict[str, Any] = {
    **tensor_primitives.PRIMITIVES,
    **layers.PRIMITIVES,
    **data_primitives.PRIMITIVES,
    **python_primitives.PRIMITIVES,
    "tensor": _tensor,
    "operator": _operator,
    "combine": _combine,
    "harmless": _harmless,
    "symbol": _symbol,
    "fresh": _fresh,
    "option": _option,
    "moved": _moved,
    "device_kind": _device_kind,
    "parameter": _parameter,
    "parameters": _parameters,
    "buffer": _buffer,
    "require": _require,
    "place": _place,
    "capture": lambda machine, optimizer, given: steps.capture(machine, optimizer, given),
    "captured": lambda machine, optimizer: machine.new(
        "list", {ELEMENTS: tuple(map(_held, steps.captured(machine, optimizer)))}
    ),
    "averages": lambda machine, owner: steps.averages(machine, owner),
    "backward": lambda machine, loss: steps.backward(machine, loss),
    "step": lambda machine, optimizer: machine.each(optimizer, lambda one: steps.step(machine, one)),
    "zero": lambda machine, given, kept=False: machine.each(
        given, lambda one: steps.zero(machine, one, machine.facts.settle(kept) is True)
    ),
    "clip": lambda machine, given, what="clip", norm=False: machine.each(
        given, lambda one: steps.clip(machine, one, what, norm)
    ),
    "reduce": lambda machine, given, mean=True: machine.each(
        given, lambda one: steps.reduce(machine, one, mean is True)
    ),
    "mark": lambda machine: graph.mark(machine),
    "read": lambda machine, value, how="read": graph.read(machine, value, how),
    "work": lambda machine, kind: graph.work(machine, kind),
    "collective": lambda machine, name, *values: graph.collective(machine, name, *values),
    "launch": _launch,
    "become_several": _become_several,
    "in_turn": lambda machine, tag: happen(machine, "in turn", (tag, frozenset(machine.facts.assumed))),
    "several": lambda machine: graph.several(machine),
    "world_size": _world_size,
    "rank": _rank,
    "shared": _shared,
    "tainted": _tainted,
    "has_taint": _has_taint,
    "is_tensor": _is_tensor,
    "event": _event,
    "seeded": _seeded,
    "lost": _lost,
    "say": _say,
    "set_world": _set_world,
    "get_world": _get_world,
    "defer": lambda machine, function, arguments: graph.defer(machine, function, arguments),
    "end": _end,
    "field": _field,
    "known": _known,
    "is_one": lambda machine, value: machine.facts.settle(value) == 1,
    "is_class": _is_class,
    "unknown": lambda machine, why, *sources: machine.unknown(
        why, *(lambda t: (t.taints, t.deps))(gather(machine, sources))
    ),
}
