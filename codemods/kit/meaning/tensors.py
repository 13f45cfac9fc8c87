"""Tensors: where they are, which parameters they depend on, what taints them; and what operations make of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

from codemods.kit.meaning import lone
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.record import LATEST, MEETING, Finding, Verdict
from codemods.kit.meaning.values import (
    APART,
    DRAWN,
    ELEMENTS,
    LOADED,
    LOCAL,
    NO_TAINTS,
    RANK,
    REST,
    Choice,
    ClassValue,
    Item,
    Obj,
    Site,
    Sym,
    Taints,
    Value,
    container,
    is_a,
)

HOST = "cpu"
ACCELERATORS = ("xla", "cuda")
NO_DEPS: frozenset[Obj] = frozenset()
UNREAD = "@unread"
"""The field of a tensor that stands for a batch of which it is not known what it holds."""
_DEEP = 3


@dataclass
class Traits:
    """What an operation takes over from its operands."""

    deps: frozenset[Obj] = NO_DEPS
    taints: Taints = NO_TAINTS
    tensors: tuple[Obj, ...] = ()
    """The tensors among them, not those that are numbers in a tensor's dress."""


def is_tensor(value: Value) -> bool:
    """Whether a value surely is a tensor."""
    if not isinstance(value, Obj):
        return False
    return "torch.Tensor" in value.cls.qualified if isinstance(value.cls, ClassValue) else value.cls == "Tensor"


def is_unknown(value: Value) -> bool:
    """Whether nothing is known of a value."""
    if not isinstance(value, Obj):
        return False
    return (value.cls.name if isinstance(value.cls, ClassValue) else value.cls) == "unknown"


def new_tensor(
    machine: Machine,
    device: Value = None,
    deps: frozenset[Obj] = NO_DEPS,
    taints: Taints = NO_TAINTS,
    scalar: bool | None = None,
) -> Obj:
    """A tensor. `device`: "cpu", "xla", "cuda", a choice of these, or None when not known."""
    fields = {"@device": device, "@deps": deps, "@taints": taints, "@scalar": scalar}
    return machine.new("Tensor", fields)


def gather(machine: Machine, values: Iterable[Value], depth: int = 0) -> Traits:
    """The traits of values, those inside of containers included."""
    found = Traits()
    for value in values:
        if type(value) is Choice:
            value = machine.facts.settle(value)
        if isinstance(value, Obj):
            _of_object(machine, found, value, depth)
        elif isinstance(value, Sym):
            found.taints |= value.taints
        elif isinstance(value, Choice):
            _merge(found, gather(machine, value, depth))
            found.taints |= _parted(machine, value)
        elif isinstance(value, tuple):
            _merge(found, gather(machine, value, depth + 1) if depth < _DEEP else Traits())
    return found


def _parted(machine: Machine, value: Choice) -> Taints:
    """What taints a value that is one of several: why some processes have another one, and other weights in it."""
    parted = machine.facts.parted(value)
    if parted is None:
        return NO_TAINTS
    why, site = parted
    every, sure = _weights_of(machine, value)
    return why | ({(APART, next(one for one in (DRAWN, RANK, LOCAL) if one in why), site)} if every - sure else set())


def _weights_of(machine: Machine, value: Value, depth: int = 0) -> tuple[frozenset[Obj], frozenset[Obj]]:
    """What a value depends on, and what of it in all processes."""
    value = machine.facts.settle(value)
    if isinstance(value, Choice):
        every = [_weights_of(machine, one, depth) for one in value]
        sure = frozenset.intersection if machine.facts.parted(value) else frozenset.union
        return NO_DEPS.union(*(one for one, _ in every)), sure(*(one for _, one in every))
    if isinstance(value, Obj) and not (is_tensor(value) or is_unknown(value)):
        inner = [one for name, one in value.fields.items() if name in (ELEMENTS, REST) or isinstance(name, Item)]
        value = tuple(inner) if depth < _DEEP else ()
    if isinstance(value, tuple):
        parts = [_weights_of(machine, one, depth + 1) for one in value] if depth < _DEEP else []
        return NO_DEPS.union(*(one for one, _ in parts)), NO_DEPS.union(*(one for _, one in parts))
    deps = gather(machine, (value,)).deps if isinstance(value, Obj) else NO_DEPS
    return deps, deps - value.fields.get(_APART, NO_DEPS) if isinstance(value, Obj) else deps


def apart(machine: Machine, values: Iterable[Value]) -> tuple[tuple[Any, ...], frozenset[Obj]] | None:
    """Why and where some processes make a value of other weights than others do, and which those are."""
    whole = tuple(values)
    why = [one for one in gather(machine, whole).taints if isinstance(one, tuple) and one[0] == APART]
    every, sure = _weights_of(machine, whole) if why else (NO_DEPS, NO_DEPS)
    return (min(why, key=str), every - sure) if every - sure else None


_APART = "@apart"
"""The field of a tensor with the weights that it is made of in some processes only."""


def _merge(found: Traits, other: Traits) -> None:
    found.deps |= other.deps
    found.taints |= other.taints
    found.tensors += other.tensors


def _of_object(machine: Machine, found: Traits, value: Obj, depth: int) -> None:
    if is_tensor(value) or is_unknown(value):
        if machine.cuda and "@gathered" in value.fields:
            machine.happen("gathered read", value.site)
        deps, taints = value.fields.get("@deps", NO_DEPS), value.fields.get("@taints", NO_TAINTS)
        found.deps |= deps if isinstance(deps, frozenset) else NO_DEPS.union(*deps)
        found.taints |= taints if isinstance(taints, frozenset) else NO_TAINTS.union(*taints)
        if is_a(value, "torch.nn.Parameter"):
            found.deps |= {value}
        found.tensors += (value,)
    elif depth < _DEEP:
        inner = [one for field, one in value.fields.items() if field in (ELEMENTS, REST) or isinstance(field, Item)]
        if inner:
            _merge(found, gather(machine, inner, depth + 1))


def device_of(
    machine: Machine, values: Iterable[Value], meets: bool = False, strict: bool = False, numbers: bool = False
) -> Value:
    """Where an operation on tensors happens. Says when host and accelerator meet where they must not.

    `numbers`: an operand may be a number, so what is not known is no tensor for certain.
    """
    device: Value = None
    host: Obj | None = None
    for tensor in values:
        one = machine.facts.settle(tensor.fields.get("@device")) if isinstance(tensor, Obj) else None
        if one in ACCELERATORS:
            device = one
        elif one == HOST and not machine.facts.settle(tensor.fields.get("@scalar")):
            host = host or tensor
        elif one is not None and device is None and not isinstance(one, str):
            device = one
    if host is None:
        return device
    taints = host.fields.get("@taints", NO_TAINTS)
    loaded = isinstance(taints, frozenset) and LOADED in taints and not (numbers and is_unknown(host))
    known = loaded or strict or machine.facts.settle(host.fields.get("@scalar")) is False
    if device in ACCELERATORS and not (meets and not machine.cuda) and known and not asks_where(machine):
        kept = " that was loaded from a checkpoint" if loaded else ""
        message = f"a tensor on the host{kept} meets tensors on the accelerator"
        machine.record.add(Finding(MEETING, Verdict.VIOLATED, machine.site, message, host.site, machine.chain()))
        return device
    return device or HOST


def asks_where(machine: Machine) -> bool:
    """Whether the path rests on where something is of which that is not known, `if x.is_cuda:`: the program knows."""
    found = (key for key, _ in machine.facts.assumed if isinstance(key, tuple) and key[0] == "==" and len(key) == 3)
    return any(
        isinstance(one, tuple) and one[:2] == ("const", "str") and one[2] in (HOST, *ACCELERATORS) and _is_type(other)
        for _, *both in found for one, other in (both, both[::-1])
    )  # fmt: skip


def _is_type(key: object) -> bool:
    return isinstance(key, tuple) and (key[0] == "object" or (key[0] == "attribute" and key[-1] == "type"))


def _differ(machine: Machine, value: Choice) -> bool:
    """Whether the options are tensors of different devices."""
    devices = {repr(machine.facts.settle(one.fields.get("@device"))) for one in value if is_tensor(one)}
    return len(devices) > 1


def lowest(tensors: Iterable[Obj]) -> bool | None:
    """Whether what is made of these is in low precision, as all of them are; None if that is not known."""
    held = [one.fields.get("@low") for one in tensors]
    return False if False in held else True if held and None not in held else None


_PLAIN = frozenset({"@device", "@deps", "@taints", "@scalar", "@boolean", "@low", _APART})


def merged(machine: Machine, value: Choice) -> Value:
    """One tensor in place of several that differ in what they depend on only: what reads it need not run for each.

    The choice itself where they differ in more, or are more than what an operation has made.
    """
    every = list(value)
    first = every[0]
    for one in every:
        if not isinstance(one, Obj) or one.cls is not machine.types.get("Tensor") or not one.fields.keys() <= _PLAIN:
            return value
        for name in ("@device", "@scalar", "@boolean"):
            if machine.facts.settle(one.fields.get(name)) != machine.facts.settle(first.fields.get(name)):
                return value
    traits = gather(machine, (value,))
    fields = {**first.fields, "@deps": traits.deps, "@taints": traits.taints}
    if parted := apart(machine, (value,)):
        fields[_APART] = parted[1]
    low = {one.fields.get("@low") for one in every if isinstance(one, Obj)}
    fields["@low"] = True if True in low else low.pop() if len(low) == 1 else None
    return Obj(first.cls, first.site, machine.heap.serial(), fields)


def combine(machine: Machine, values: Iterable[Value], scalar: bool | None = None, **more: Any) -> Any:
    """The tensor an operation makes of its operands.

    `scalar`: whether it is a single number. `device`: where it is, if not where its operands are. `taints`: more of
    them. `meets`: torch_xla takes an operand of this operation from the host. `strict`: of no shape is one taken from
    there. `keeps`: it has its operands' shape. `typed`: it has their type. `same`: it is its operand.
    `low`: it is in low precision. `boolean`: it is one of truth values. `numbers`: as for `device_of`.
    """
    values = [machine.facts.settle(value) for value in values]
    if "device" not in more:
        values = [one for value in values for one in _inside(machine, value)]
        for at, value in enumerate(values):
            if isinstance(value, Choice) and _differ(machine, value):
                return machine.each(value, partial(_combine_with, machine, values, at, scalar, more))
    traits = gather(machine, values)
    if not machine.cuda:
        _say_stale(machine, traits.tensors)
    rules = more.get("meets", False), more.get("strict", False), more.get("numbers", False)
    device = more["device"] if "device" in more else device_of(machine, traits.tensors, *rules)
    if scalar is None:
        small = [machine.facts.settle(one.fields.get("@scalar")) for one in traits.tensors]
        keeps = more.get("keeps", False)
        scalar = True if small and all(one is True for one in small) else False if keeps and False in small else None
    remembered = machine.facts.settle(machine.world.fields.get("no_grad")) is not True
    made = new_tensor(
        machine, device, traits.deps if remembered else NO_DEPS, traits.taints | more.get("taints", NO_TAINTS), scalar
    )
    if remembered and any(type(one) is tuple and one[0] == APART for one in traits.taints):
        made.fields[_APART] = (apart(machine, values) or ((), NO_DEPS))[1]
    if not more.get("same"):
        lone.compute(machine, made)
    if more.get("boolean"):
        made.fields["@boolean"] = True
    low = lowest(traits.tensors) if more.get("typed") else more.get("low")
    if low is not None:
        made.fields["@low"] = low
    return made


def _say_stale(machine: Machine, operands: Iterable[Obj]) -> None:
    """A list, a name or a closure may keep a parameter that a move has replaced: nobody trains it any more."""
    for one in operands:
        moved = machine.facts.settle(one.fields["@replaced"]) if "@replaced" in one.fields else None
        if isinstance(moved, Site):
            message = f"computes with a parameter of before the move at {moved}: the one that is trained is another"
            machine.record.add(Finding(LATEST, Verdict.VIOLATED, machine.site, message, one.site, machine.chain()))


def _inside(machine: Machine, value: Value) -> list[Value]:
    """What is in a list or tuple, if one of it is on a device that a condition decides; else the value itself."""
    held = value.fields.get(ELEMENTS) if isinstance(value, Obj) and container(value) == "list" else value
    inner = [machine.facts.settle(one) for one in held] if isinstance(held, tuple) else []
    return inner if any(isinstance(one, Choice) and _differ(machine, one) for one in inner) else [value]


def _combine_with(
    machine: Machine, values: list[Value], at: int, scalar: bool | None, more: dict[str, Any], one: Value
) -> Value:
    return combine(machine, [*values[:at], one, *values[at + 1 :]], scalar, **more)


def swap_data(machine: Machine, tensor: Obj, value: Value) -> None:
    """`tensor.data = value`: both have to be on one device. Says when they are not."""
    kinds = {machine.facts.settle(one.fields.get("@device")) for one in (tensor, value) if isinstance(one, Obj)}
    if not machine.cuda and kinds & set(ACCELERATORS) and HOST in kinds:
        message = "a tensor gets the data of one on another device"
        machine.record.add(Finding(MEETING, Verdict.VIOLATED, machine.site, message, tensor.site, machine.chain()))


def is_mask(machine: Machine, value: Value) -> bool:
    """Whether a value is, or an index holds, a tensor of truth values: the shape it picks depends on data."""
    value = machine.facts.settle(value)
    if isinstance(value, tuple):
        return any(is_mask(machine, one) for one in value)
    return isinstance(value, Obj) and value.fields.get("@boolean") is True
