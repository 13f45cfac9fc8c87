"""Items: reading `owner[key]` off every kind of value, and storing it."""

from __future__ import annotations

import ast
from typing import Any

from codemods.kit.meaning import lone
from codemods.kit.meaning.bare import memo
from codemods.kit.meaning.choices import key_of, make_choice, options_of
from codemods.kit.meaning.graph import filled_later, read, say
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.picking import may_be_another, one_of, picks_apart, shuffled, tinged
from codemods.kit.meaning.record import HAS, MEETING, Verdict
from codemods.kit.meaning.sizes import bounds, sized
from codemods.kit.meaning.taken_apart import ENUMS, WHY
from codemods.kit.meaning.tensors import ACCELERATORS, HOST, UNREAD, combine, gather, is_mask, is_tensor, merged
from codemods.kit.meaning.values import (
    ABSENT,
    CONSTANTS,
    DIFFERS,
    DRAWN,
    ELEMENTS,
    LOADED,
    MANY,
    OWN,
    REST,
    UNBOUND,
    VARYING,
    Choice,
    ClassValue,
    Function,
    Item,
    Key,
    Obj,
    Sym,
    Taints,
    Value,
    container,
    is_a,
    item_key,
)

INDEX = "an index"
"""How a tensor is read that says which element of a list or of an array is meant."""
PREFIX = "startswith"
"""The first part of the key of an answer whether a text begins with another."""


def get_item(machine: Machine, owner: Value, key: Value) -> Value:
    """`owner[key]`."""
    owner, key = machine.facts.settle(owner), machine.facts.settle(key)
    if isinstance(owner, Choice):
        owner = merged(machine, owner)
    if isinstance(owner, Choice):
        return machine.each(owner, lambda one: get_item(machine, one, key))
    if is_tensor(key) and (isinstance(owner, (tuple, str, bytes)) or container(owner) == "list"):
        key = read(machine, key, INDEX)
    key = _of_array(machine, owner, key)
    if isinstance(owner, (tuple, str, bytes)):
        return _of_sequence(machine, owner, key)
    if isinstance(owner, Sym):
        if owner.key in machine.settings and isinstance(key, str):
            put_there = machine.facts.settle(machine.settings[owner.key].fields.get(Item(key), UNBOUND))
            if machine.facts.bound(put_there) is put_there:
                return put_there
        _strip(machine, owner.taints, key)
        taints = owner.taints | shuffled(machine, owner) | picks_apart(machine, key)
        return Sym(("item", owner.key, item_key(key) if not isinstance(key, Obj) else machine.site), taints)
    if isinstance(owner, ClassValue) or not isinstance(owner, Obj):
        return owner
    if owner.cls == "harmless":
        return owner
    kind = container(owner)
    method = owner.cls.find("__getitem__") if isinstance(owner.cls, ClassValue) else ABSENT
    if isinstance(method, Function):
        return machine.call(method, owner, key)
    if kind == "dict":
        return of_dict(machine, owner, key)
    if kind:
        return _of_list(machine, owner, key)
    if method is not ABSENT:
        return machine.call(method, owner, key)
    if is_tensor(owner):
        _indexed(machine, owner, key)
        sized(machine, "a slice", (one for one in bounds(key) if is_tensor(machine.facts.settle(one))), owner)
        sliced = any(isinstance(one, Obj) and one.cls == "slice" for one in (key if isinstance(key, tuple) else (key,)))
        elsewhere = machine.facts.settle(owner.fields.get("@device")) != "cpu"
        rules = {"meets": elsewhere, "keeps": sliced, "typed": not is_tensor(key)}
        part = combine(machine, (owner, key), taints=picks_apart(machine, key), **rules)
        if DRAWN in gather(machine, bounds(key)).taints and isinstance(part, Obj) and not machine.cuda:
            lone.differ(machine, part)
        if UNREAD in owner.fields and isinstance(part, Obj):
            part.fields[UNREAD] = True
        return part
    taints = gather(machine, (owner,)).taints
    _strip(machine, taints, key)
    if LOADED in taints and isinstance(key, str):
        machine.happen("read of a checkpoint", key)
    field = Item(item_key(key))
    if field not in owner.fields:
        made = memo(machine, owner, field, "an item of what is not known")
        made.fields["@taints"] |= picks_apart(machine, key)
    return owner.fields[field]


def _of_array(machine: Machine, owner: Value, key: Value) -> Value:
    """An index of an array of numpy's, for which the tensors in it are read."""
    if not isinstance(owner, Sym) or not (isinstance(owner.key, tuple) and str(owner.key[0]).startswith("numpy.")):
        return key
    parts = tuple(map(machine.facts.settle, key)) if isinstance(key, tuple) else (key,)
    taken = tuple(read(machine, one, INDEX) if is_tensor(one) else one for one in parts)
    return taken if isinstance(key, tuple) else taken[0]


def _strip(machine: Machine, taints: Taints, key: Value) -> None:
    """Note that a first part is taken off a key of a checkpoint."""
    if LOADED in taints and isinstance(key, Obj) and key.cls == "slice":
        start = key.fields["start"]
        if isinstance(start, int) and key.fields["stop"] is None and start in _prefixes(machine):
            asked = any(isinstance(one, tuple) and one[0] == PREFIX and held for one, held in machine.facts.assumed)
            machine.happen("unprefixed" if asked else "strip")


PREFIXES = ("module.", "_orig_mod.")
"""What wrappers put before the keys of a network's state."""


def _prefixes(machine: Machine) -> set[int]:
    """How long the names are that begin with `module.` or `_orig_mod.`, as far as the code that runs writes them."""
    function = machine.frame.function
    tree = function.node if function else machine.library.trees.get(machine.frame.path)
    texts = (one.value for one in ast.walk(tree) if isinstance(one, ast.Constant)) if tree else ()
    return {len("module."), *(len(one) for one in texts if isinstance(one, str) and one.startswith(PREFIXES))}


def _indexed(machine: Machine, owner: Obj, key: Value, written: bool = False) -> None:
    """Note an index that makes another graph: by a mask, or by bounds that are other numbers each time."""
    if machine.cuda or machine.facts.settle(owner.fields.get("@device")) == "cpu":
        return
    if is_mask(machine, key):
        machine.happen("dynamic shape", "an index by a mask")
    parts = key if isinstance(key, tuple) else (key,)
    sampling = machine.facts.settle(machine.world.fields.get("sampling")) is True
    if sampling and any(isinstance(one, Sym) for one in parts):
        machine.happen("moving row")
    if any(isinstance(one, Sym) and VARYING in one.taints for one in map(machine.facts.settle, parts)):
        there = machine.facts.settle(owner.fields.get("@device")) in ACCELERATORS
        if written:
            machine.happen("moving number", "the place that is written to")
        elif there and any(isinstance(one, Sym) and one.key in _turned(machine) for one in parts):
            machine.happen("moving index")
    if any(isinstance(one, Sym) and VARYING in one.taints for one in map(machine.facts.settle, bounds(key))):
        machine.happen("moving slice", "a slice")


def _turned(machine: Machine) -> set[Key]:
    """What the variables of the innermost loop are called by now: a comprehension's are not those of a loop."""
    for frame in reversed(machine.frames):
        for loop in reversed(frame.loops) if not frame.model else ():
            target = getattr(loop.node, "target", None)
            names = [one.id for one in ast.walk(target) if isinstance(one, ast.Name)] if target is not None else []
            held = (machine.facts.settle(frame.scope.fields.get(name)) for name in names)
            return {one.key for one in held if isinstance(one, Sym)}
    return set()


def _of_sequence(machine: Machine, owner: Any, key: Value) -> Value:
    if isinstance(key, int) and -len(owner) <= key < len(owner):
        return owner[key]
    if isinstance(key, Obj) and key.cls == "slice":
        start, stop, step = (key.fields[one] for one in ("start", "stop", "step"))
        if all(one is None or isinstance(one, int) for one in (start, stop, step)):
            return owner[start:stop:step]
        return owner if isinstance(owner, tuple) else machine.symbol("a part of a string")
    if isinstance(owner, tuple) and owner:
        return one_of(machine, ("item", key_of(owner), _asked(machine, key)), owner, picks_apart(machine, key))
    return machine.symbol("an element")


def _of_list(machine: Machine, owner: Obj, key: Value) -> Value:
    elements = machine.facts.settle(owner.fields.get(ELEMENTS, ()))
    if isinstance(elements, Choice):
        elements = max((one for one in elements if isinstance(one, tuple)), key=len, default=())
    rest = owner.fields.get(REST, ABSENT)
    if isinstance(key, Obj) and key.cls == "slice":
        taints = picks_apart(machine, key)
        fields: dict[Any, Value] = {ELEMENTS: tinged(machine, _of_sequence(machine, elements, key), taints)}
        if rest is not ABSENT:
            fields[REST] = tinged(machine, rest, taints)
        return machine.new("list", fields)
    if isinstance(key, int) and rest is ABSENT and -len(elements) <= key < len(elements):
        return elements[key]
    every = [*elements, *([] if rest is ABSENT else [rest])]
    if not every and MANY not in owner.fields and filled_later(machine, owner):
        message = "this list is empty: the step closure that fills it runs with the next mark"
        say(machine, HAS, Verdict.VIOLATED, message, owner.site)
    taints = picks_apart(machine, key)
    many = taints and (MANY in owner.fields or rest is not ABSENT)
    for one in (option for value in every for option in options_of(machine.facts, value)) if many else ():
        if is_a(one, "torch.nn.Module"):
            may_be_another(machine, one, taints)
    return (
        one_of(machine, ("item", owner.serial, _asked(machine, key)), every, taints)
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


def of_dict(machine: Machine, owner: Obj, key: Value) -> Value:
    """`dict.__getitem__`, whatever the class of the dict does in its place."""
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
        one_of(machine, ("item", owner.serial, _asked(machine, key)), every, picks_apart(machine, key))
        if every
        else machine.unknown(f"item {key!r} of a dict")
    )


def set_item(machine: Machine, owner: Value, key: Value, new: Value) -> None:
    """`owner[key] = new`."""
    owner = machine.facts.settle(owner)
    if isinstance(owner, Choice):
        if isinstance(key, Obj) and key.cls == "slice" and isinstance(machine.facts.settle(new), Sym):
            new = tuple(machine.elements(new))  # the same ones, whichever list takes them
        machine.each(owner, lambda one: set_item(machine, one, key, new))
        return
    if isinstance(owner, Sym) and isinstance(key, str) and isinstance(new, (Sym, bool)):
        settings = machine.settings.setdefault(owner.key, machine.new("settings"))
        machine.heap.write(settings, Item(key), new)
    key = _of_array(machine, owner, key)
    if not isinstance(owner, Obj):
        return
    kind = container(owner)
    method = owner.cls.find("__setitem__") if isinstance(owner.cls, ClassValue) else ABSENT
    if isinstance(method, Function) or (method is not ABSENT and not kind):
        machine.call(method, owner, key, new)
    elif kind == "list":
        _set_element(machine, owner, key, new)
    elif is_tensor(owner):
        _indexed(machine, owner, key, True)
        _written_from_elsewhere(machine, owner, key)
        traits = gather(machine, (owner, new, key))
        machine.heap.write(owner, "@deps", traits.deps)
        machine.heap.write(owner, "@taints", traits.taints)
        if UNREAD in owner.fields and isinstance(new, Obj) and new.fields.get("@device") != owner.fields.get("@device"):
            machine.heap.write(owner, "@device", None)  # an item of a dict is put elsewhere
    else:
        put(machine, owner, key, new)


def _written_from_elsewhere(machine: Machine, owner: Obj, key: Value) -> None:
    """`host[mask] = value` with a mask, or indices, of the accelerator: CUDA takes them, torch_xla fails (measured on
    2.1 and 2.9; the other way round, and a single number, are right)."""
    if machine.cuda or machine.facts.settle(owner.fields.get("@device")) != HOST:
        return
    for one in gather(machine, key if isinstance(key, tuple) else (key,)).tensors:
        there = machine.facts.settle(one.fields.get("@device")) in ACCELERATORS
        if there and machine.facts.settle(one.fields.get("@scalar")) is not True:
            message = "a tensor on the host is written at places that a tensor on the accelerator gives"
            say(machine, MEETING, Verdict.VIOLATED, message, owner.site)
            return


def put(machine: Machine, owner: Obj, key: Value, new: Value) -> None:
    """`dict.__setitem__`, whatever the class of the dict does in its place."""
    if not isinstance(key, CONSTANTS) and owner.serial < machine.many_since:
        machine.heap.write(owner, MANY, True)
    if key == "lr" and Item("params") in owner.fields:
        machine.happen("rate", gather(machine, (new,)).taints & (DIFFERS | {OWN}))
    if is_a(key, "enum.Enum"):
        machine.heap.write(owner, WHY, ENUMS)
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
