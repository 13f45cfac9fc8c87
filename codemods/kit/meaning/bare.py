"""Attributes of what has no class that is read: modules, and values that are not known."""

from __future__ import annotations

from typing import Any

from codemods.kit.meaning.classes import of_super
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.parameters import ANYWHERE, PARAMETER, device_kind, place
from codemods.kit.meaning.record import READ, Finding, Verdict
from codemods.kit.meaning.steps import waits
from codemods.kit.meaning.tensors import gather
from codemods.kit.meaning.values import (
    ABSENT,
    REST,
    UNPLACED,
    Bound,
    ClassValue,
    Function,
    Item,
    Obj,
    Primitive,
    Value,
    by_age,
    is_a,
)


def of_bare(machine: Machine, value: Obj, name: str) -> Value:
    if value.cls == "module":
        if name == "__dict__":
            return _variables(machine, value)
        inner = machine.library.load(machine, f"{value.fields['__name__']}.{name}", machine.frame)
        hook = value.fields.get("__getattr__", ABSENT)
        if inner is ABSENT and hook is not ABSENT:
            given = machine.call(hook, name)
            if value.fields.get("__model__") and isinstance(given, (Primitive, ClassValue)):
                value.fields[name] = given  # the same whenever it is asked for
            return given
        return inner if inner is not ABSENT else memo(machine, value, name, f"{name} of a module")
    if value.cls == "harmless":
        return value
    if value.cls == "super":
        return of_super(machine, value, name)
    if value.cls == "iterator" and name == "__next__":
        return Bound(machine.builtins["next"], value)
    tensor = machine.types.get("Tensor")
    if name in ("backward", "item", "tolist") and value.cls == "unknown" and tensor is not None:
        return Bound(tensor.find(name), value)  # only a tensor has these
    if name in ("to", "cuda", "cpu") and value.cls == "unknown":
        value.fields.setdefault(_SENT, True)
        return Primitive(
            name, lambda machine, *given, **more: _sent(machine, value, name, (*given, more.get("device")))
        )
    if name in ("parameters", "named_parameters", "requires_grad_"):
        return _taken_for_module(machine, value, name)
    if name in ("step", "param_groups") and value.cls == "unknown":
        held = _trained_by(machine, value, name)
        if held:
            return _taken_for_optimizer(machine, value, name, held)
    return memo(machine, value, name, f"{name} of {_library(value)}")


def _variables(machine: Machine, module: Obj) -> Value:
    """`module.__dict__`: what the module itself defines, and for a library whatever it may be asked for."""
    name = module.fields.get("__name__")
    fields: dict[Any, Value] = {}
    for called, value in module.fields.items():
        own = (
            value.module is module
            if isinstance(value, Function)
            else isinstance(value, ClassValue) and value.module == name
        )
        if own and isinstance(called, str) and not called.startswith("_"):
            fields[Item(called)] = value
    hook = module.fields.get("__getattr__", ABSENT)
    if hook is not ABSENT:
        fields[REST] = machine.call(hook, "__dict__")
    return machine.new("dict", fields)


_SENT = "@sent"
"""The field of a value that is not known, and of which somebody asked to be moved."""


def _sent(machine: Machine, value: Obj, name: str, given: tuple[Value, ...]) -> Value:
    """What is not known is moved: what that gives is there, and so is the value itself if it is a module."""
    where: Value = "cuda" if name == "cuda" else "cpu" if name == "cpu" else None
    where = next((kind for one in given if (kind := device_kind(machine, one)) is not None), where)
    if where is None:
        return value
    if machine.watcher is not None and where != "cpu":
        machine.watcher.move_model(machine, value)
    traits = gather(machine, (value,))
    if UNPLACED in traits.taints and not machine.cuda:
        message = "what was written on CUDA cannot be read without a map_location"
        machine.record.add(Finding(READ, Verdict.OPEN, machine.site, message, value.site, machine.chain()))
    made = machine.unknown(f"{name}() of what is not known", traits.taints, traits.deps)
    made.fields.update({"@device": where, _SENT: True})
    for part in [one for one in value.fields.values() if is_a(one, "torch.nn.Module")]:
        place(machine, part, where)
    if machine.facts.settle(value.fields.get("@device")) != where:
        machine.heap.write(value, "@device", None)
    return made


def _taken_for_module(machine: Machine, value: Obj, name: str) -> Value:
    """Only a module has parameters: what is asked for them is one, of which nothing else is known."""
    library = machine.library.load(machine, "torch.nn", machine.frame)
    leaf = library.fields.get("Leaf") if isinstance(library, Obj) else None
    if not isinstance(leaf, ClassValue) or value.cls != "unknown":
        return memo(machine, value, name, f"{name} of what is not known")
    made = machine.call(leaf)
    value.cls = leaf
    parameter = made.fields["weight"]
    parameter.fields["@device"] = (
        ANYWHERE if _SENT in value.fields else machine.facts.settle(value.fields.get("@device"))
    )
    parameter.site = value.site
    parameter.fields["@own"] = False  # somebody hands it in: equal or not, nobody sees it here
    value.fields["weight"] = parameter
    return machine.attribute(value, name)


def _trained_by(machine: Machine, value: Obj, name: str) -> tuple[Obj, ...]:
    """The parameters that a value was made of, if what is asked of it is what an optimizer has.

    A scheduler is made of them too, and has a `step`: it comes after the optimizer's, which has used the gradients.
    """
    held = tuple(one for one in by_age(gather(machine, (value,)).deps) if is_a(one, PARAMETER))
    if name == "step" and not any(waits(machine, one) for one in held):
        return ()
    return held


def _taken_for_optimizer(machine: Machine, value: Obj, name: str, held: tuple[Obj, ...]) -> Value:
    """Only an optimizer steps while gradients wait: what was made of parameters is one, of all of them."""
    library = machine.library.load(machine, "torch.optim", machine.frame)
    cls = library.fields.get("Optimizer") if isinstance(library, Obj) else None
    if not isinstance(cls, ClassValue):
        return memo(machine, value, name, f"{name} of what is not known")
    value.cls = cls
    # What was asked of it before it was known answers from now on.
    value.fields = {key: one for key, one in value.fields.items() if str(key)[:1] == "@"}
    value.fields["@captured"] = held
    machine.call(machine.attribute(value, "_begin"))
    return machine.attribute(value, name)


def _library(value: Obj) -> str:
    """The library that a value that is not known comes from, if that is known."""
    why = str(value.fields.get("@why", ""))
    named = why.removeprefix("module ") if why.startswith("module ") else why.rpartition(" of ")[2]
    word = named.partition(" ")[0]
    return word if named != why and word not in ("what", "a", "an") else "what is not known"


def memo(machine: Machine, value: Obj, name: Any, why: str) -> Value:
    traits = gather(machine, (value,))
    made = machine.unknown(why, traits.taints, traits.deps)
    made.fields["@device"] = value.fields.get("@device")
    value.fields[name] = made  # the same whenever it is asked for: no change of the program's state
    return made
