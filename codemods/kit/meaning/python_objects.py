"""Functions of Python that ask about an object: its class, its attributes, its base."""

from __future__ import annotations

from codemods.kit.meaning.attributes import get_attribute, set_attribute
from codemods.kit.meaning.by_text import that_begin
from codemods.kit.meaning.choices import key_of
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.picking import one_of, picks_apart
from codemods.kit.meaning.tensors import is_tensor, is_unknown
from codemods.kit.meaning.texts import begins
from codemods.kit.meaning.values import (
    ABSENT,
    CONSTANTS,
    Choice,
    ClassValue,
    Obj,
    Primitive,
    Sym,
    Value,
    container,
)


def is_instance(machine: Machine, given: Value, kinds: Value) -> Value:
    given, kinds = machine.facts.settle(given), machine.facts.settle(kinds)
    if isinstance(given, Choice):
        return machine.each(given, lambda one: is_instance(machine, one, kinds))
    every = kinds if isinstance(kinds, tuple) else (kinds,)
    answers = {_one_isinstance(machine, given, kind) for kind in every}
    if True in answers:
        return True
    return False if answers == {False} else Sym(("isinstance", key_of(given), tuple(map(key_of, every))))


def _one_isinstance(machine: Machine, given: Value, kind: Value) -> bool | None:
    kind = machine.facts.settle(kind)
    if isinstance(kind, ClassValue):
        if isinstance(given, Obj) and isinstance(given.cls, ClassValue):
            return kind in given.cls.order or (None if not given.cls.known else False)
        return None if isinstance(given, Sym) or is_unknown(given) else False
    if isinstance(kind, Primitive):
        plain = {"int": int, "float": float, "str": str, "bool": bool, "tuple": tuple}.get(kind.name)
        if plain is not None:
            if isinstance(given, (*CONSTANTS, tuple)):
                return isinstance(given, plain)
            return False if container(given) or is_tensor(given) else None
    return None


def get_named(machine: Machine, owner: Value, name: Value, default: Value = ABSENT) -> Value:
    name = machine.facts.settle(name)
    if isinstance(name, str):
        if default is not ABSENT and _held(machine, owner, name) is False:
            return default
        return get_attribute(machine, owner, name)
    if isinstance(name, Choice):
        return machine.each(name, lambda one: get_named(machine, owner, one, default))
    parts = that_begin(owner, begins(name)) if isinstance(name, Sym) else []
    if parts:
        return one_of(machine, ("named", key_of(owner), key_of(name)), parts, picks_apart(machine, name))
    hook = owner.fields.get("__getattr__", ABSENT) if isinstance(owner, Obj) and owner.cls == "module" else ABSENT
    if hook is not ABSENT and isinstance(name, Sym):
        return machine.call(hook, "__dict__")  # of a library: whatever it may be asked for
    return machine.unknown("an attribute whose name is not known")


def _held(machine: Machine, owner: Value, name: str) -> bool | None:
    owner = machine.facts.settle(owner)
    if isinstance(owner, Choice):
        answers = {_held(machine, one, name) for one in owner}
        return answers.pop() if len(answers) == 1 else None
    if isinstance(owner, Obj):
        if name in owner.fields:
            return True
        if isinstance(owner.cls, ClassValue):
            if owner.cls.find(name) is not ABSENT:
                return True
            return False if owner.cls.known and owner.cls.find("__getattr__") is ABSENT else None
        return None
    if isinstance(owner, ClassValue):
        return True if owner.find(name) is not ABSENT else (False if owner.known else None)
    return hasattr(owner, name) if isinstance(owner, (*CONSTANTS, tuple)) else None


def has_named(machine: Machine, owner: Value, name: Value) -> Value:
    name = machine.facts.settle(name)
    found = _held(machine, owner, name) if isinstance(name, str) else None
    return Sym(("hasattr", key_of(machine.facts.settle(owner)), name)) if found is None else found


def set_named(machine: Machine, owner: Value, name: Value, value: Value) -> None:
    set_attribute(machine, owner, machine.facts.settle(name), value)


def super_(machine: Machine, cls: Value = None, receiver: Value = None) -> Value:
    frame = next((one for one in reversed(machine.frames) if one.function and one.function.owner), machine.frame)
    owner = cls if isinstance(cls, ClassValue) else frame.function.owner if frame.function else None
    if receiver is None and frame.function is not None:
        arguments = getattr(frame.function.node.args, "args", []) or frame.function.node.args.posonlyargs
        receiver = frame.scope.fields.get(arguments[0].arg) if arguments else None
    return machine.new("super", {"owner": owner, "receiver": receiver})


def type_(machine: Machine, given: Value, *more: Value) -> Value:
    given = machine.facts.settle(given)
    return given.cls if isinstance(given, Obj) and isinstance(given.cls, ClassValue) else machine.unknown("a type")


def vars_(machine: Machine, given: Value = None) -> Value:
    return get_attribute(machine, given, "__dict__") if given is not None else machine.unknown("the variables")
