"""Attributes: reading them off every kind of value, and storing them."""

from __future__ import annotations

from typing import Any

from codemods.kit.meaning.bare import memo, of_bare
from codemods.kit.meaning.choices import make_choice
from codemods.kit.meaning.classes import STORED, bind, lacking, lacks, of_class
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.record import BOUND, Finding, Verdict
from codemods.kit.meaning.tensors import gather, is_unknown, merged, swap_data
from codemods.kit.meaning.texts import text_of
from codemods.kit.meaning.values import (
    ABSENT,
    CONSTANTS,
    ELEMENTS,
    HOLDER,
    LOCAL,
    PARTED,
    RANK,
    SHARED,
    UNBOUND,
    Bound,
    Choice,
    ClassValue,
    Function,
    Item,
    Obj,
    Partial,
    Primitive,
    Running,
    Sym,
    Value,
    is_a,
    item_key,
)

_CHANGES = frozenset({"data", "grad", "backward"})
"""Attributes of a tensor by which it, or what it depends on, is changed."""


def get_attribute(machine: Machine, value: Value, name: str) -> Value:
    """`value.name`."""
    if type(value) is Choice:
        value = machine.facts.settle(value)
        if isinstance(value, Choice) and not (name in _CHANGES or name.endswith("_")):
            value = merged(machine, value)
        if isinstance(value, Choice):
            return machine.each(value, lambda one: get_attribute(machine, one, name))
    if isinstance(value, Obj):
        return machine.facts.settle(_of_object(machine, value, name))
    if isinstance(value, ClassValue):
        return of_class(machine, value, name)
    if isinstance(value, Sym):
        if value.kind is not None and not hasattr(value.kind, name):
            return lacking(machine, value, name, f"a {value.kind.__name__}")
        return Sym(("attribute", value.key, name), value.taints)
    if isinstance(value, (*CONSTANTS, tuple)):
        return _of_constant(machine, value, name)
    if isinstance(value, Bound):
        return value.receiver if name == "__self__" else get_attribute(machine, value.function, name)
    if isinstance(value, Function) and name in ("__name__", "__qualname__"):
        return value.name
    if isinstance(value, Partial):
        return {"func": value.function, "args": value.arguments}.get(name) or machine.unknown(f"{name} of a partial")
    if isinstance(value, Running) and name == "__next__":
        return Bound(machine.builtins["next"], value)
    return machine.unknown(f"attribute {name} of a function")


def _of_object(machine: Machine, value: Obj, name: str) -> Value:
    own = value.fields.get(name, ABSENT)
    if own is ABSENT:
        return _of_its_class(machine, value, name)
    own = machine.facts.settle(own)
    kept = machine.facts.bound(own)
    if kept is not ABSENT:
        return kept if kept is own else _or_class(machine, value, name, own)
    return _of_its_class(machine, value, name)


def _or_class(machine: Machine, value: Obj, name: str, own: Choice) -> Value:
    """An attribute that only some paths set: on the others the class answers, if it has an answer."""
    hook = isinstance(value.cls, ClassValue) and (value.cls.find(name), value.cls.find("__getattr__")) != (
        ABSENT,
        ABSENT,
    )
    if not hook or is_a(value, "argparse.Namespace"):
        _say_absent(machine, name, own)
    if not hook:
        return machine.facts.bound(own)
    options = [(facts, one) for facts, one in own.options]
    return make_choice(
        [(facts, _of_its_class(machine, value, name) if one is UNBOUND else one) for facts, one in options]
    )


def _say_absent(machine: Machine, name: str, own: Choice) -> None:
    """Some processes alone have set the attribute, and others come here too."""
    without = Choice(tuple(option for option in own.options if option[1] is UNBOUND))
    parted = machine.facts.parted(without)
    if parted is not None and not machine.frame.model:
        if parted[0] & {RANK, LOCAL}:
            verdict, message = Verdict.VIOLATED, f"`{name}` is there in some processes only: the others end here"
        else:  # chance decided, and may decide likewise here
            verdict, message = Verdict.OPEN, f"not shown that all processes have `{name}`"
        machine.record.add(Finding(BOUND, verdict, machine.site, message, None, machine.chain()))


def _of_its_class(machine: Machine, value: Obj, name: str) -> Value:
    cls = value.cls
    if not isinstance(cls, ClassValue):
        return of_bare(machine, value, name)
    found = cls.find(name)
    if found is not ABSENT:
        return bind(machine, found, value, cls)
    if name == "__class__":
        return cls
    if name == "__dict__":
        return machine.new("dict", {Item(key): one for key, one in value.fields.items() if isinstance(key, str)})
    hook = cls.find("__getattr__")
    of_model = isinstance(hook, Function) and hook.module.fields.get("__model__")
    if hook is not ABSENT and not (of_model and name in lacks(cls)):
        return machine.call(hook, value, name)
    if not cls.known:
        return memo(machine, value, name, f"{name} of {cls.name}, whose base is not read")
    return lacking(machine, value, name, cls.name)


def _of_constant(machine: Machine, value: Value, name: str) -> Value:
    if value is None:  # a value that only some paths give; which they are is not always known
        return machine.unknown(f"{name} of None")
    if not hasattr(value, name):
        return lacking(machine, value, name, f"{value!r}" if isinstance(value, str) else f"a {type(value).__name__}")

    def method(machine: Machine, *arguments: Value, **keywords: Value) -> Value:
        known = all(isinstance(one, CONSTANTS) for one in (*arguments, *keywords.values()))
        if known and len(arguments) < 4:
            try:
                return _lifted(machine, getattr(value, name)(*arguments, **keywords))
            except Exception:
                return machine.symbol(f".{name}()")
        traits = gather(machine, (*arguments, *keywords.values()))
        if name == "format" and isinstance(value, str):
            return text_of(machine, (*arguments, *keywords.values()), ".format()", value.partition("{")[0])
        return Sym(("method", name, str(value), machine.site), traits.taints)

    return Primitive(name, method) if callable(getattr(value, name)) else getattr(value, name)


def _lifted(machine: Machine, value: Any) -> Value:
    if isinstance(value, list):
        return machine.new("list", {ELEMENTS: tuple(value)})
    return value if isinstance(value, (*CONSTANTS, tuple)) else machine.symbol("a value")


def set_attribute(machine: Machine, value: Value, name: Any, new: Value) -> None:
    """`value.name = new`."""
    value = machine.facts.settle(value)
    if isinstance(value, Choice):
        machine.each(value, lambda one: set_attribute(machine, one, name, new))
        return
    if isinstance(value, ClassValue):
        machine.heap.write(value.space, name, new)
        return
    if not isinstance(value, Obj):
        return
    if name == "data" and is_unknown(value):
        swap_data(machine, value, machine.facts.settle(new))
    if isinstance(value.cls, ClassValue):
        setter = value.cls.find(f"{name}.setter")
        if setter is not ABSENT:
            machine.call(setter, value, new)
            return
        hook = value.cls.find("__setattr__")
        if isinstance(hook, Function) and hook.name == "__setattr__":
            if machine.frame.function is not hook:
                machine.call(hook, value, name, new)
                return
    if is_a(new, "torch.nn.Parameter"):
        _hand_over(machine, value, name, new)
    machine.heap.write(value, name if isinstance(name, str) else (STORED, item_key(name)), new)


def _hand_over(machine: Machine, module: Obj, name: Any, parameter: Obj) -> None:
    """A module gets a parameter. Where it is the one that it has, and nobody else, it stands for many: one of these got
    another's."""
    if HOLDER not in parameter.fields:
        machine.heap.write(parameter, HOLDER, module)
    elif parameter.fields[HOLDER] is module and module.fields.get(name) is parameter:
        machine.heap.write(parameter, SHARED, True)
        machine.heap.write(parameter, PARTED, ABSENT)
