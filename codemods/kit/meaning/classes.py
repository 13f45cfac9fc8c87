"""What a class gives to its objects: methods bound to them, what `super()` finds, and what it lacks."""

from __future__ import annotations

import ast

from codemods.kit.meaning.choices import make_choice
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.record import HAS, Finding, Verdict
from codemods.kit.meaning.values import (
    ABSENT,
    Bound,
    ClassValue,
    Function,
    Obj,
    Primitive,
    Scope,
    Value,
)

OUTPUT = "get_output_embeddings"
"""What models of transformers have that may tie their embeddings; a field of an unknown value that is such a model."""
STORED = "?"
"""The first part of the field's name where an attribute's own name is not known."""


def lacking(machine: Machine, value: Value, name: str, what: str) -> Value:
    """An attribute that a value of a class that is wholly read does not have."""
    if isinstance(value, Obj) and any(isinstance(one, tuple) and one[0] == STORED for one in value.fields):
        return make_choice(
            [(frozenset(), one) for key, one in value.fields.items() if isinstance(key, tuple) and key[0] == STORED]
        )
    if not (machine.frame.model or _asks_kind(machine) or _may_have(machine, value, name)):
        message = f"`.{name}` is asked of {what}, which has none"
        machine.record.add(Finding(HAS, Verdict.VIOLATED, machine.site, message, None, machine.chain()))
    return machine.unknown(f"{name} of {what}")


def _asks_kind(machine: Machine) -> bool:
    """Whether the path rests on of which kind something is that is not known: `isinstance(shape, dict)`."""
    facts = machine.facts
    asked = [key for key, _ in facts.assumed]
    asked += [one.key for key in asked for _, one in facts.meant.get(key, ())]
    return any(isinstance(key, tuple) and key[:1] == ("isinstance",) for key in asked)


def _may_have(machine: Machine, value: Value, name: str) -> bool:
    """Whether an attribute may be there after all."""
    return hasattr(object, name) or _perhaps(value, name) or (machine.assumed and _is_set(value, name))


def _perhaps(value: Value, name: str) -> bool:
    """Whether a library's class may have an attribute its model does not list.

    `__lacks__` says what it has not, `__more__` what it has besides where the model lists the rest.
    """
    cls = value.cls if isinstance(value, Obj) else None
    if not isinstance(cls, ClassValue) or name in lacks(cls):
        return False
    models = [one for one in cls.order if isinstance(one, ClassValue) and one.module != "builtins" and _is_model(one)]
    listed = [one.space.fields.get("__more__") for one in models]
    return None in listed or any(name in str(one).split() for one in listed)


def _is_set(value: Value, name: str) -> bool:
    """Whether a method of an object's class sets an attribute: it may have run before a function that nobody calls."""
    order = value.cls.order if isinstance(value, Obj) and isinstance(value.cls, ClassValue) else ()
    methods = (made for one in order if isinstance(one, ClassValue) for made in one.space.fields.values())
    return any(
        isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store)
        for method in methods if isinstance(method, Function)
        for node in ast.walk(method.node)
    )  # fmt: skip


def lacks(cls: ClassValue) -> tuple[Value, ...]:
    found = cls.find("__lacks__")
    return found if isinstance(found, tuple) else ()


def _is_model(cls: ClassValue) -> bool:
    outer = cls.space.parent if isinstance(cls.space, Scope) else None
    while outer is not None and outer.parent is not None:
        outer = outer.parent
    return outer is not None and bool(outer.fields.get("__model__"))


def of_super(machine: Machine, value: Obj, name: str) -> Value:
    receiver, owner = value.fields["receiver"], value.fields["owner"]
    cls = receiver if isinstance(receiver, ClassValue) else receiver.cls
    order = cls.order if isinstance(cls, ClassValue) else ()
    after = order[order.index(owner) + 1 :] if owner in order else ()
    for one in after:
        if isinstance(one, ClassValue):
            if name in one.space.fields:
                return bind(machine, one.space.fields[name], receiver, cls)
        else:
            return machine.unknown(f"{name} of a base that is not read")
    return machine.builtins["object"] if name != "__init__" else Primitive("__init__", lambda m, *a, **k: None)


def bind(machine: Machine, found: Value, receiver: Value, cls: Value) -> Value:
    """What a class holds, as its object gives it: a method is bound, a property asked."""
    found = machine.facts.settle(found)
    if isinstance(found, Function):
        if "property" in found.marks:
            return machine.call(found, receiver)
        if "staticmethod" in found.marks:
            return found
        return Bound(found, cls if "classmethod" in found.marks else receiver)
    if isinstance(found, Primitive):
        return Bound(found, receiver)
    return found


def of_class(machine: Machine, value: ClassValue, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return value.name
    found = value.find(name)
    if found is ABSENT:
        made = machine.unknown(f"{name} of class {value.name}")
        if name == "from_pretrained" and value.find(OUTPUT) is not ABSENT:
            made.fields[OUTPUT] = True
        return made
    if isinstance(found, Function) and "classmethod" in found.marks:
        return Bound(found, value)
    return found
