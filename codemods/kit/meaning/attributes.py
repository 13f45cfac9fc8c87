"""Attributes and items: reading them off every kind of value, and storing them."""

from __future__ import annotations

import ast
from typing import Any

from codemods.kit.meaning.choices import key_of, make_choice, picked
from codemods.kit.meaning.graph import read
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.parameters import ANYWHERE, device_kind, place
from codemods.kit.meaning.record import HAS, READ, Finding, Verdict
from codemods.kit.meaning.tensors import combine, gather, is_mask, is_tensor, is_unknown, merged, swap_data
from codemods.kit.meaning.texts import text_of
from codemods.kit.meaning.values import (
    ABSENT,
    CONSTANTS,
    ELEMENTS,
    LOADED,
    REST,
    UNBOUND,
    UNPLACED,
    VARYING,
    Bound,
    Choice,
    ClassValue,
    Function,
    Item,
    Obj,
    Partial,
    Primitive,
    Running,
    Scope,
    Sym,
    Taints,
    Value,
    container,
    is_a,
    item_key,
)

PREFIX = "startswith"
"""The first part of the key of an answer whether a text begins with another."""
_CHANGES = frozenset({"data", "grad", "backward"})
"""Attributes of a tensor by which it, or what it depends on, is changed."""
STORED = "?"
"""The first part of the field's name where an attribute's own name is not known."""


def get_attribute(machine: Machine, value: Value, name: str) -> Value:
    """`value.name`."""
    value = machine.facts.settle(value)
    if isinstance(value, Choice) and not (name in _CHANGES or name.endswith("_")):
        value = merged(machine, value)
    if isinstance(value, Choice):
        return machine.each(value, lambda one: get_attribute(machine, one, name))
    if isinstance(value, Obj):
        return machine.facts.settle(_of_object(machine, value, name))
    if isinstance(value, ClassValue):
        return _of_class(machine, value, name)
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
    own = machine.facts.settle(value.fields.get(name, ABSENT))
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
    if not hook:
        return machine.facts.bound(own)
    options = [(facts, one) for facts, one in own.options]
    return make_choice(
        [(facts, _of_its_class(machine, value, name) if one is UNBOUND else one) for facts, one in options]
    )


def _of_its_class(machine: Machine, value: Obj, name: str) -> Value:
    cls = value.cls
    if not isinstance(cls, ClassValue):
        return _of_bare(machine, value, name)
    found = cls.find(name)
    if found is not ABSENT:
        return bind(machine, found, value, cls)
    if name == "__class__":
        return cls
    if name == "__dict__":
        return machine.new("dict", {Item(key): one for key, one in value.fields.items() if isinstance(key, str)})
    hook = cls.find("__getattr__")
    of_model = isinstance(hook, Function) and hook.module.fields.get("__model__")
    if hook is not ABSENT and not (of_model and name in _lacks(cls)):
        return machine.call(hook, value, name)
    for one in cls.order:
        if is_unknown(one):
            return _memo(machine, value, name, f"{name} of {cls.name}, whose base is not read")
    return lacking(machine, value, name, cls.name)


def lacking(machine: Machine, value: Value, name: str, what: str) -> Value:
    """An attribute that a value of a class that is wholly read does not have."""
    if isinstance(value, Obj) and any(isinstance(one, tuple) and one[0] == STORED for one in value.fields):
        return make_choice(
            [(frozenset(), one) for key, one in value.fields.items() if isinstance(key, tuple) and key[0] == STORED]
        )
    if not machine.frame.model and not _perhaps(value, name):
        message = f"`.{name}` is asked of {what}, which has none"
        machine.record.add(Finding(HAS, Verdict.VIOLATED, machine.site, message, None, machine.chain()))
    return machine.unknown(f"{name} of {what}")


def _perhaps(value: Value, name: str) -> bool:
    """Whether a library's class may have an attribute its model does not list. `__lacks__` says what it has not."""
    cls = value.cls if isinstance(value, Obj) else None
    if not isinstance(cls, ClassValue) or name in _lacks(cls):
        return False
    models = [one for one in cls.order if isinstance(one, ClassValue) and one.module != "builtins" and _is_model(one)]
    return any(f"{one.module}.{one.name}" != "torch.nn.Module" for one in models)


def _lacks(cls: ClassValue) -> tuple[Value, ...]:
    found = cls.find("__lacks__")
    return found if isinstance(found, tuple) else ()


def _is_model(cls: ClassValue) -> bool:
    outer = cls.space.parent if isinstance(cls.space, Scope) else None
    while outer is not None and outer.parent is not None:
        outer = outer.parent
    return outer is not None and bool(outer.fields.get("__model__"))


def _of_bare(machine: Machine, value: Obj, name: str) -> Value:
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
        return inner if inner is not ABSENT else _memo(machine, value, name, f"{name} of a module")
    if value.cls == "harmless":
        return value
    if value.cls == "super":
        return _of_super(machine, value, name)
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
    return _memo(machine, value, name, f"{name} of {_library(value)}")


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
        return _memo(machine, value, name, f"{name} of what is not known")
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


def _library(value: Obj) -> str:
    """The library that a value that is not known comes from, if that is known."""
    why = str(value.fields.get("@why", ""))
    named = why.removeprefix("module ") if why.startswith("module ") else why.rpartition(" of ")[2]
    word = named.partition(" ")[0]
    return word if named != why and word not in ("what", "a", "an") else "what is not known"


def _memo(machine: Machine, value: Obj, name: Any, why: str) -> Value:
    traits = gather(machine, (value,))
    made = machine.unknown(why, traits.taints, traits.deps)
    made.fields["@device"] = value.fields.get("@device")
    value.fields[name] = made  # the same whenever it is asked for: no change of the program's state
    return made


def _of_super(machine: Machine, value: Obj, name: str) -> Value:
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


def _of_class(machine: Machine, value: ClassValue, name: str) -> Value:
    if name in ("__name__", "__qualname__"):
        return value.name
    found = value.find(name)
    if found is ABSENT:
        return machine.unknown(f"{name} of class {value.name}")
    if isinstance(found, Function) and "classmethod" in found.marks:
        return Bound(found, value)
    return found


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
            return text_of(machine, (*arguments, *keywords.values()), ".format()")
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
    machine.heap.write(value, name if isinstance(name, str) else (STORED, item_key(name)), new)


def get_item(machine: Machine, owner: Value, key: Value) -> Value:
    """`owner[key]`."""
    owner, key = machine.facts.settle(owner), machine.facts.settle(key)
    if isinstance(owner, Choice):
        owner = merged(machine, owner)
    if isinstance(owner, Choice):
        return machine.each(owner, lambda one: get_item(machine, one, key))
    if is_tensor(key) and (isinstance(owner, (tuple, str, bytes)) or container(owner) == "list"):
        key = read(machine, key, "an index")
    if isinstance(owner, (tuple, str, bytes)):
        return _of_sequence(machine, owner, key)
    if isinstance(owner, Sym):
        _strip(machine, owner.taints, key)
        return Sym(("item", owner.key, item_key(key) if not isinstance(key, Obj) else machine.site), owner.taints)
    if isinstance(owner, ClassValue) or not isinstance(owner, Obj):
        return owner
    if owner.cls == "harmless":
        return owner
    kind = container(owner)
    method = owner.cls.find("__getitem__") if isinstance(owner.cls, ClassValue) else ABSENT
    if isinstance(method, Function):
        return machine.call(method, owner, key)
    if kind == "dict":
        return _of_dict(machine, owner, key)
    if kind:
        return _of_list(machine, owner, key)
    if method is not ABSENT:
        return machine.call(method, owner, key)
    if is_tensor(owner):
        _indexed(machine, owner, key)
        sliced = any(isinstance(one, Obj) and one.cls == "slice" for one in (key if isinstance(key, tuple) else (key,)))
        elsewhere = machine.facts.settle(owner.fields.get("@device")) != "cpu"
        return combine(machine, (owner, key), meets=elsewhere, keeps=sliced)
    _strip(machine, gather(machine, (owner,)).taints, key)
    field = Item(item_key(key))
    return (
        owner.fields[field] if field in owner.fields else _memo(machine, owner, field, "an item of what is not known")
    )


def _strip(machine: Machine, taints: Taints, key: Value) -> None:
    """Note that a first part is taken off a key of a checkpoint."""
    if LOADED in taints and isinstance(key, Obj) and key.cls == "slice":
        start = key.fields["start"]
        if isinstance(start, int) and key.fields["stop"] is None and start in _prefixes(machine):
            asked = any(isinstance(one, tuple) and one[0] == PREFIX and held for one, held in machine.facts.assumed)
            machine.happen("unprefixed" if asked else "strip")


def _prefixes(machine: Machine) -> set[int]:
    """How long the names are that begin with `module.`, as far as the code that runs writes them."""
    function = machine.frame.function
    tree = function.node if function else machine.library.trees.get(machine.frame.path)
    texts = (one.value for one in ast.walk(tree) if isinstance(one, ast.Constant)) if tree else ()
    return {len("module."), *(len(one) for one in texts if isinstance(one, str) and one.startswith("module."))}


def _indexed(machine: Machine, owner: Obj, key: Value) -> None:
    """Note an index that makes another graph: by a mask, or by bounds that are other numbers each time."""
    if machine.cuda or machine.facts.settle(owner.fields.get("@device")) == "cpu":
        return
    if is_mask(machine, key):
        machine.happen("dynamic shape", "an index by a mask")
    parts = key if isinstance(key, tuple) else (key,)
    bounds = [
        part.fields[one] for part in parts if isinstance(part, Obj) and part.cls == "slice" for one in ("start", "stop")
    ]
    if any(isinstance(one, Sym) and VARYING in one.taints for one in map(machine.facts.settle, bounds)):
        machine.happen("moving slice", "a slice")


def _of_sequence(machine: Machine, owner: Any, key: Value) -> Value:
    if isinstance(key, int) and -len(owner) <= key < len(owner):
        return owner[key]
    if isinstance(key, Obj) and key.cls == "slice":
        start, stop, step = (key.fields[one] for one in ("start", "stop", "step"))
        if all(one is None or isinstance(one, int) for one in (start, stop, step)):
            return owner[start:stop:step]
        return owner if isinstance(owner, tuple) else machine.symbol("a part of a string")
    if isinstance(owner, tuple) and owner:
        return picked(("item", key_of(owner), _asked(machine, key)), owner)
    return machine.symbol("an element")


def _of_list(machine: Machine, owner: Obj, key: Value) -> Value:
    elements = machine.facts.settle(owner.fields.get(ELEMENTS, ()))
    if isinstance(elements, Choice):
        elements = max((one for one in elements if isinstance(one, tuple)), key=len, default=())
    rest = owner.fields.get(REST, ABSENT)
    if isinstance(key, Obj) and key.cls == "slice":
        fields: dict[Any, Value] = {ELEMENTS: _of_sequence(machine, elements, key)}
        if rest is not ABSENT:
            fields[REST] = rest
        return machine.new("list", fields)
    if isinstance(key, int) and rest is ABSENT and -len(elements) <= key < len(elements):
        return elements[key]
    every = [*elements, *([] if rest is ABSENT else [rest])]
    return (
        picked(("item", owner.serial, _asked(machine, key)), every)
        if every
        else machine.unknown("an element of an empty list")
    )


def _asked(machine: Machine, key: Value) -> Value:
    """What names an index: the same index picks the same element."""
    return (
        machine.heap.serial()
        if isinstance(key, Obj) or (isinstance(key, Sym) and VARYING in key.taints)
        else item_key(key)
    )


def _of_dict(machine: Machine, owner: Obj, key: Value) -> Value:
    field = Item(item_key(key))
    own = machine.facts.bound(owner.fields.get(field, ABSENT))
    if own is not ABSENT:
        return own
    every = [one for name, one in owner.fields.items() if isinstance(name, Item)]
    if REST in owner.fields:
        every.append(owner.fields[REST])
    if isinstance(key, CONSTANTS):
        apart = [
            one for name, one in owner.fields.items() if isinstance(name, Item) and not isinstance(name.key, CONSTANTS)
        ]
        every = [*apart, *([owner.fields[REST]] if REST in owner.fields else [])]
    default = owner.fields.get("default_factory")
    if not every and default is not None:
        made = machine.call(default)
        machine.heap.write(owner, field, made)
        return made
    return (
        picked(("item", owner.serial, _asked(machine, key)), every)
        if every
        else machine.unknown(f"item {key!r} of a dict")
    )


def set_item(machine: Machine, owner: Value, key: Value, new: Value) -> None:
    """`owner[key] = new`."""
    owner = machine.facts.settle(owner)
    if isinstance(owner, Choice):
        machine.each(owner, lambda one: set_item(machine, one, key, new))
        return
    if not isinstance(owner, Obj):
        return
    kind = container(owner)
    method = owner.cls.find("__setitem__") if isinstance(owner.cls, ClassValue) else ABSENT
    if isinstance(method, Function) or (method is not ABSENT and not kind):
        machine.call(method, owner, key, new)
    elif kind == "list":
        _set_element(machine, owner, key, new)
    elif is_tensor(owner):
        _indexed(machine, owner, key)
        traits = gather(machine, (owner, new, key))
        machine.heap.write(owner, "@deps", traits.deps)
        machine.heap.write(owner, "@taints", traits.taints)
    else:
        machine.heap.write(owner, Item(item_key(key)), new)


def _set_element(machine: Machine, owner: Obj, key: Value, new: Value) -> None:
    elements = owner.fields.get(ELEMENTS, ())
    if isinstance(key, int) and isinstance(elements, tuple) and -len(elements) <= key < len(elements):
        at = key % len(elements)
        machine.heap.write(owner, ELEMENTS, (*elements[:at], new, *elements[at + 1 :]))
    elif isinstance(key, Obj) and key.cls == "slice":
        _set_slice(machine, owner, key, machine.elements(new))
    else:
        machine.heap.write(owner, REST, new)


def _set_slice(machine: Machine, owner: Obj, key: Obj, new: list[Value]) -> None:
    """`owner[a:b] = new`: all of it, or elements that are not listed."""
    if all(key.fields[name] in (None, 0) for name in ("start", "stop", "step")):
        machine.heap.write(owner, ELEMENTS, tuple(new))
        machine.heap.write(owner, REST, ABSENT)
    elif new:
        machine.heap.write(owner, REST, make_choice([(frozenset(), one) for one in new]))
