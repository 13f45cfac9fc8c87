"""Python's own containers: the methods of list, dict and set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from codemods.kit.meaning.choices import LENGTH, truth
from codemods.kit.meaning.expressions import update
from codemods.kit.meaning.items import get_item, of_dict, put, set_item
from codemods.kit.meaning.iteration import elements_of, holds_parameter, is_put
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.partings import put_in
from codemods.kit.meaning.paths import Dead
from codemods.kit.meaning.tensors import is_tensor
from codemods.kit.meaning.values import (
    ABSENT,
    ELEMENTS,
    MANY,
    REST,
    Choice,
    ClassValue,
    Item,
    Obj,
    Primitive,
    Scope,
    Site,
    Sym,
    Value,
    container,
    item_key,
)

MOST = 64
"""A list of more is not told apart element by element."""
Method = Callable[..., Value]


def make_classes(machine: Machine) -> dict[str, ClassValue]:
    """The classes list, dict and set."""
    made = {}
    for name, methods in (("list", _LIST), ("dict", _DICT), ("set", _SET)):
        space = Scope(Site("", 0), machine.heap.serial(), None, frozenset(), is_class=True)
        space.fields.update({called: Primitive(called, run) for called, run in methods.items()})
        made[name] = ClassValue(name, space, (), "builtins")
    return made


def add(machine: Machine, target: Obj, value: Value) -> None:
    """Put one element at the end."""
    is_put(machine, target)
    held = elements_of(machine, target)
    if len(held) >= MOST:
        machine.heap.write(target, REST, value)
    elif not any(one is value for one in held) or not isinstance(value, Obj):
        machine.heap.write(target, ELEMENTS, (*held, value))


def _list_init(machine: Machine, self: Obj, given: Value = None) -> None:
    if given is not None:
        _extend(machine, self, given)


def _append(machine: Machine, self: Obj, value: Value) -> None:
    add(machine, self, value)
    if is_tensor(value := machine.facts.settle(value)) and value.fields.get("@deps"):
        machine.happen("kept graph", machine.loops_since(self))


def _extend(machine: Machine, self: Obj, values: Value) -> None:
    values = machine.facts.settle(values)
    every = elements_of(machine, values) if container(values) == "list" else ()
    if len(every) > MOST and all(map(holds_parameter, every)):  # none of a network's is left out
        is_put(machine, self)
        held = elements_of(machine, self)
        known = set(map(id, held))
        machine.heap.write(self, ELEMENTS, (*held, *(one for one in every if id(one) not in known)))
        for name in (REST, MANY):
            if name in values.fields:
                machine.heap.write(self, name, values.fields[name])
        return
    found: list[Value] = []
    since = {machine.many_since}

    def each(value: Value) -> None:
        since.add(machine.many_since)
        found.append(value)

    try:
        machine.iterate(values, each)
    except Dead:
        if not found:
            raise
    for one in found:
        add(machine, self, one)
    if len(since) > 1:
        machine.heap.write(self, MANY, True)


def _insert(machine: Machine, self: Obj, at: Value, value: Value) -> None:
    is_put(machine, self)
    machine.heap.write(self, ELEMENTS, (value, *elements_of(machine, self)))


def _pop(machine: Machine, self: Obj, at: Value = -1, default: Value = None) -> Value:
    if container(self) == "dict":
        value = _get(machine, self, at, default)
        if Item(item_key(at)) in self.fields:
            machine.heap.write(self, Item(item_key(at)), ABSENT)
        return value
    held = elements_of(machine, self)
    if not held or not isinstance(at, int) or not -len(held) <= at < len(held):
        return self.fields.get(REST, ABSENT) if REST in self.fields else machine.unknown("popped")
    is_put(machine, self)
    at %= len(held)
    machine.heap.write(self, ELEMENTS, (*held[:at], *held[at + 1 :]))
    return held[at]


def _clear(machine: Machine, self: Obj) -> None:
    for name in list(self.fields):
        if name in (ELEMENTS, REST, MANY) or isinstance(name, Item):
            machine.heap.write(self, name, ABSENT)


def _copy(machine: Machine, self: Obj) -> Value:
    return machine.new(self.cls, dict(self.fields))


def _length(machine: Machine, self: Obj) -> Value:
    if REST in self.fields or MANY in self.fields:
        made = machine.symbol("a length", put_in(machine, self))
        filled = truth(machine.facts, self)
        if filled.value is not None:
            return made
        return Sym((LENGTH, filled.key if filled.when else ("not", filled.key), made.key), made.taints | filled.taints)
    if container(self) == "dict":
        return sum(1 for one in self.fields if isinstance(one, Item))
    held = machine.facts.settle(self.fields.get(ELEMENTS, ()))
    return len(held) if isinstance(held, tuple) else machine.symbol("a length")


def _index(machine: Machine, self: Obj, value: Value, *rest: Value) -> Value:
    return machine.symbol("an index")


def _nothing(machine: Machine, self: Obj, *given: Value, **more: Value) -> None:
    return None


def _dict_init(machine: Machine, self: Obj, given: Value = None, **more: Value) -> None:
    given = machine.facts.settle(given)
    if isinstance(given, Obj) and container(given) == "dict":
        update(machine, self, given)
    elif given is not None:
        for pair in machine.elements(given):
            pair = machine.facts.settle(pair)
            if isinstance(pair, tuple) and len(pair) == 2:
                set_item(machine, self, pair[0], pair[1])
            else:
                machine.heap.write(self, REST, machine.unknown("an item of a dict"))
    for name, value in more.items():
        set_item(machine, self, name, value)


def _get(machine: Machine, self: Obj, key: Value, default: Value = None) -> Value:
    if Item(item_key(key)) in self.fields or REST in self.fields:
        return get_item(machine, self, key)
    known = all(not isinstance(one, Item) or isinstance(one.key, (str, int)) for one in self.fields)
    if known and isinstance(key, (str, int)):
        return default
    if not any(isinstance(one, Item) for one in self.fields):
        return default
    return Choice(
        (
            (frozenset({(("has", self.serial, item_key(key)), True)}), get_item(machine, self, key)),
            (frozenset({(("has", self.serial, item_key(key)), False)}), default),
        )
    )


def _keys(machine: Machine, self: Obj) -> Value:
    keys = tuple(one.key for one in self.fields if isinstance(one, Item))
    return _listed(machine, keys, machine.symbol("a key") if REST in self.fields else ABSENT)


def _values(machine: Machine, self: Obj) -> Value:
    values = tuple(value for _, value in _held(machine, self))
    return _listed(machine, values, self.fields.get(REST, ABSENT))


def _items(machine: Machine, self: Obj) -> Value:
    items = tuple(_held(machine, self))
    rest = (machine.symbol("a key"), self.fields[REST]) if REST in self.fields else ABSENT
    return _listed(machine, items, rest)


def _held(machine: Machine, self: Obj) -> list[tuple[Value, Value]]:
    """The items of a dict, those included that only some paths put in."""
    found = [(one.key, machine.facts.bound(value)) for one, value in self.fields.items() if isinstance(one, Item)]
    return [(key, value) for key, value in found if value is not ABSENT]


def _listed(machine: Machine, elements: tuple[Value, ...], rest: Value) -> Value:
    fields: dict[Any, Value] = {ELEMENTS: elements}
    if rest is not ABSENT:
        fields[REST] = rest
    return machine.new("list", fields)


def _update(machine: Machine, self: Obj, given: Value = None, **more: Value) -> None:
    if container(self) == "set":
        _extend(machine, self, given)
    else:
        _dict_init(machine, self, given, **more)


def _setdefault(machine: Machine, self: Obj, key: Value, default: Value = None) -> Value:
    if Item(item_key(key)) not in self.fields:
        set_item(machine, self, key, default)
    return get_item(machine, self, key)


_SHARED: dict[str, Method] = {"clear": _clear, "copy": _copy, "pop": _pop, "__len__": _length}
_LIST: dict[str, Method] = _SHARED | {
    "__init__": _list_init,
    "append": _append,
    "appendleft": _insert,
    "extend": _extend,
    "insert": lambda machine, self, at, value: _insert(machine, self, at, value),
    "remove": _nothing,
    "sort": _nothing,
    "reverse": _nothing,
    "popleft": lambda machine, self: _pop(machine, self, 0),
    "index": _index,
    "count": _index,
}
_DICT: dict[str, Method] = _SHARED | {
    "__init__": _dict_init,
    "get": _get,
    "keys": _keys,
    "values": _values,
    "items": _items,
    "update": _update,
    "setdefault": _setdefault,
    "__getitem__": of_dict,
    "__setitem__": put,
}
_SET: dict[str, Method] = _SHARED | {
    "__init__": _list_init,
    "add": _append,
    "update": _extend,
    "discard": _nothing,
    "remove": _nothing,
    "union": lambda machine, self, *others: self,
    "difference": lambda machine, self, *others: self,
    "intersection": lambda machine, self, *others: self,
}
