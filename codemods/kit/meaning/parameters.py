"""Modules and their parameters: finding them, moving them, and who holds those of before a move."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from typing import Any

from codemods.kit.meaning.choices import Fact, in_order
from codemods.kit.meaning.graph import happen, read, say
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.record import HAS, LATEST, Verdict
from codemods.kit.meaning.tensors import ACCELERATORS, HOST, is_tensor, is_unknown
from codemods.kit.meaning.texts import begins
from codemods.kit.meaning.values import (
    ABSENT,
    ELEMENTS,
    PARTED,
    REST,
    SHARED,
    Choice,
    Item,
    Obj,
    Sym,
    Value,
    by_age,
    container,
    is_a,
)

PARAMETER = "torch.nn.Parameter"
MODULE = "torch.nn.Module"
PICKED = "@picked"
"""The field of a parameter with what was picked where it was made."""
LONG = 64
"""Elements of a list that are gone through one by one, at least."""
ANYWHERE = "anywhere"
"""Where the parameters are of a module that somebody hands in: wherever it is wanted."""
NOT_THERE = "this is put on the CUDA device, which is not there"
Slot = tuple[Obj, Any]
"""An object and the field in which it keeps a parameter or a buffer."""


def slots(machine: Machine, module: Value, seen: set[int] | None = None) -> Iterator[tuple[Slot, Value]]:
    """Where a module and the modules in it keep parameters and buffers."""
    seen = set() if seen is None else seen
    if not isinstance(module, Obj) or module.serial in seen:
        return
    seen.add(module.serial)
    for name, value in list(module.fields.items()):
        if type(value) is Choice:
            machine.steps += 1  # asking for its options is the work of a step
            value = machine.facts.settle(value)
        elif not isinstance(value, Obj):
            continue
        for one in value if isinstance(value, Choice) else (value,):
            if is_a(one, PARAMETER) or (("buffer", name) in module.fields and is_tensor(one)):
                yield (module, name), value
                break
            if is_a(one, MODULE):
                yield from slots(machine, one, seen)
            elif name == "_children" and container(one):
                yield from _of_container(machine, one, seen)


def _of_container(machine: Machine, value: Obj, seen: set[int]) -> Iterator[tuple[Slot, Value]]:
    for name, held in list(value.fields.items()):
        held = machine.facts.settle(held)
        if name == ELEMENTS:
            every = held if isinstance(held, tuple) else tuple(x for one in held if isinstance(one, tuple) for x in one)
            inner = [one for one in every if is_a(one, PARAMETER)]
            for at, one in enumerate(every):
                if one in inner:
                    yield (value, (ELEMENTS, at)), one
                for option in one if isinstance(one, Choice) else (one,):
                    yield from slots(machine, option, seen) if is_a(option, MODULE) else ()
        elif name == REST or isinstance(name, Item):
            for option in held if isinstance(held, Choice) else (held,):
                if is_a(option, PARAMETER):
                    yield (value, name), held
                elif is_a(option, MODULE):
                    yield from slots(machine, option, seen)


def parameters(machine: Machine, module: Value) -> list[Value]:
    """The parameters of a module, each once; one that only some paths moved is a choice."""
    found: dict[Any, Value] = {}
    for _, value in slots(machine, module):
        options = tuple(value) if isinstance(value, Choice) else (value,)
        if any(is_a(one, PARAMETER) for one in options):
            found[tuple(id(one) for one in options)] = value
    return list(found.values())


def each_parameter(machine: Machine, values: Iterable[Value]) -> Iterator[Obj]:
    """The parameters among values, one at a time, each while the facts are assumed under which it is meant."""
    for value in values:
        value = machine.facts.settle(value)
        if not isinstance(value, Choice):
            if is_tensor(value) and is_there(value, machine.facts.known.items()):
                yield value
            continue
        for facts, one in value.options:
            if is_tensor(one) and machine.facts.allow(facts) and is_there(one, machine.facts.known.items()):
                assumed = machine.facts.mark()
                for key, held in in_order(facts):
                    machine.facts.assume(key, held)
                yield one
                machine.facts.forget(assumed)


def note_pick(machine: Machine, parameter: Value) -> None:
    """A parameter of one of several networks, of which one is picked, is there where that one is."""
    assumed = machine.facts.assumed
    picked = frozenset(key for key, held in assumed if held and isinstance(key, tuple) and key[:1] == ("pick",))
    if isinstance(parameter, Obj) and (picked or PICKED in parameter.fields):
        parameter.fields[PICKED] = picked


def is_there(parameter: Obj, facts: Container[Fact]) -> bool:
    """Whether a parameter may be there where these facts hold: not where another network is picked."""
    picked = parameter.fields.get(PICKED)
    return not picked or not any((key, False) in facts for key in picked)


def buffers(machine: Machine, module: Value) -> list[Obj]:
    """The buffers of a module."""
    return [value for _, value in slots(machine, module) if isinstance(value, Obj) and not is_a(value, PARAMETER)]


def place(machine: Machine, module: Value, device: Value) -> None:
    """`module.to(device)`: torch_xla makes new parameters of those it moves; CUDA changes them in place."""
    if not isinstance(module, Obj):
        return
    happen(machine, "move", (module.site, device))
    find_missing(machine, device)
    if machine.watcher is not None and device not in (HOST, "meta"):
        machine.watcher.move_model(machine, module)
    held = each_parameter(machine, (value for _, value in slots(machine, module)))
    if device == HOST and any(machine.facts.settle(one.fields.get("@device")) in ACCELERATORS for one in held):
        read(machine, module, "a module's move to the host")
    for (owner, name), value in list(slots(machine, module)):
        moved = _map(machine, value, lambda one: _moved(machine, one, device))
        if moved is not value:
            _put(machine, owner, name, moved)


def find_missing(machine: Machine, device: Value) -> None:
    """Say when something is put on the CUDA device and there is none."""
    if device == "cuda" and not machine.cuda:
        say(machine, HAS, Verdict.VIOLATED, NOT_THERE)


def _put(machine: Machine, owner: Obj, name: Any, value: Value) -> None:
    if isinstance(name, tuple) and name[0] == ELEMENTS:
        held, at = machine.facts.settle(owner.fields[ELEMENTS]), name[1]
        machine.heap.write(owner, ELEMENTS, _with(held, at, value))
    else:
        machine.heap.write(owner, name, value)


def _with(held: Value, at: int, value: Value) -> Value:
    """What a list holds, with another element at a place; a choice of lists is counted as in `_of_container`."""
    if isinstance(held, tuple):
        return (*held[:at], value, *held[at + 1 :]) if at < len(held) else held
    options = []
    for facts, one in held.options:
        options.append((facts, _with(one, at, value) if at >= 0 else one))
        at -= len(one)
    return Choice(tuple(options))


def _map(machine: Machine, value: Value, change: Callable[[Value], Value]) -> Value:
    if not isinstance(value, Choice):
        return change(value)
    options = tuple((facts, change(one)) for facts, one in value.options)
    if all(new is old for (_, new), (_, old) in zip(options, value.options, strict=True)):
        return value
    first = options[0][1]
    return first if all(one is first for _, one in options) else Choice(options)


_OF_A_TENSOR = ("requires_grad", "data", "grad", "is_leaf", "name")
_OF_A_MOVE = ("@replaced", "@became", PARTED, SHARED)
"""What a move leaves on the parameter of before: a second name of it is moved to one that was not moved itself."""


def _moved(machine: Machine, value: Value, device: Value) -> Value:
    if not isinstance(value, Obj) or not is_tensor(value):
        return value
    now = machine.facts.settle(value.fields.get("@device"))
    if now == device or now == "meta":
        return value
    if now == ANYWHERE and (machine.cuda or not is_a(value, PARAMETER)):
        machine.heap.write(value, "@device", device)
        return value
    if now == ANYWHERE:  # moved, or there already: a new parameter, which one of before may be as well
        new = Obj(value.cls, value.site, machine.heap.serial(), {**value.fields, "@device": device})
        machine.heap.write(value, "@perhaps", (new, machine.site))
        return new
    if device is None:  # to a device that is not known: perhaps another, perhaps its own
        machine.heap.write(value, "@device", None)
        return value
    if not is_a(value, PARAMETER):
        return machine.new(value.cls, {**value.fields, "@device": device})
    if machine.cuda or not (now is None or now in ACCELERATORS or now == HOST):
        if machine.watcher is not None and now == HOST and device in ACCELERATORS:
            machine.watcher.captures.move(machine, value)
        machine.heap.write(value, "@device", device)
        return value
    if machine.facts.settle(machine.world.fields.get("swaps parameters")) is True:
        machine.heap.write(value, "@device", device)
        return value
    _say_lost(machine, value)
    kept = {name: one for name, one in value.fields.items() if name not in _OF_A_MOVE}
    new = Obj(value.cls, value.site, machine.heap.serial(), {**kept, "@device": device, "@grad": "none"})
    machine.heap.write(value, "@replaced", machine.site)
    before = value.fields.get("@became", ABSENT)
    if isinstance(before, Obj) and before.fields.get("@device") == device:
        machine.heap.write(new, PARTED, before)
    elif SHARED in value.fields:
        machine.heap.write(new, PARTED, new)
    machine.heap.write(value, "@became", new)
    return new


def _say_lost(machine: Machine, parameter: Obj) -> None:
    """The new parameter has no hook and no attribute that the program gave to the one of before."""
    own = [name for name in parameter.fields if isinstance(name, str) and name not in _OF_A_TENSOR and name[0] != "@"]
    if own:
        what = "a hook" if own[0] == "hook" else f"the attribute `{own[0]}`"
        message = f"the parameters that are new from here on lack {what}, which those of before the move were given"
        say(machine, LATEST, Verdict.VIOLATED if own[0] == "hook" else Verdict.OPEN, message, parameter.site)


def flatten(machine: Machine, given: Value, depth: int = 0) -> tuple[list[Value], list[str]]:
    """The parameters among what an optimizer, a clip or a reduction is given; and what of it is not known."""
    given = machine.facts.settle(given)
    if is_a(given, PARAMETER) or (is_tensor(given) and depth):
        return [given], []
    if is_tensor(given):
        return [given], []
    if isinstance(given, Obj) and container(given) == "dict":
        inner = given.fields.get(Item("params"), ABSENT)
        values = [one for name, one in given.fields.items() if isinstance(name, Item) or name == REST]
        return _flatten_all(machine, [inner] if inner is not ABSENT else values, depth)
    if is_unknown(given) or depth > 4:
        why = given.fields.get("@why", "") if isinstance(given, Obj) else ""
        deps = given.fields.get("@deps", frozenset()) if isinstance(given, Obj) else frozenset()
        known = [one for one in by_age(deps) if is_a(one, PARAMETER)] if isinstance(deps, frozenset) else []
        return known, [] if known else [str(why) or "a value"]
    if isinstance(given, Choice):
        return ([given], []) if all(is_tensor(one) for one in given) else _flatten_choice(machine, given, depth)
    if isinstance(given, Obj) and is_a(given, MODULE):
        return parameters(machine, given), []
    if isinstance(given, (Obj, tuple)) or hasattr(given, "function"):
        return _flatten_all(machine, _elements(machine, given), depth)
    return [], [] if given is None or isinstance(given, (str, int, float)) else ["a value"]


def _elements(machine: Machine, given: Value) -> list[Value]:
    """What is in a list, all of it: going through a long one passes over its middle."""
    held = machine.facts.settle(given.fields.get(ELEMENTS)) if container(given) == "list" else None
    if isinstance(held, tuple) and len(held) > LONG and REST not in given.fields:
        return list(held)
    return machine.elements(given)


def _flatten_choice(machine: Machine, given: Choice, depth: int) -> tuple[list[Value], list[str]]:
    """What each option holds, meant only where the option is."""
    found: list[Value] = []
    unclear: list[str] = []
    for facts, one in given.options:
        some, what = flatten(machine, one, depth + 1)
        found += [Choice(((facts, x), (frozenset(), None))) if facts and not isinstance(x, Choice) else x for x in some]
        unclear += what
    return found, unclear


def _flatten_all(machine: Machine, values: list[Value], depth: int) -> tuple[list[Value], list[str]]:
    found: list[Value] = []
    unclear: list[str] = []
    for value in values:
        some, what = flatten(machine, value, depth + 1)
        found += [one for one in some if not any(one is held for held in found)]
        unclear += what
    return found, unclear


def _as_device(machine: Machine, given: Sym) -> str | Sym:
    """Where a number or an option puts something: a rank is a CUDA device, and an option what it is by default. One
    that only a file knows is taken for what it is called: of a program that trains on the accelerator a device is that.
    So is a parameter of what nobody calls."""
    match given.key:
        case ("rank" | "local rank",):
            return given if machine.cuda else "cuda"
        case ("parameter device",):
            return "cuda" if machine.cuda else "xla"
        case (str(name),) if name.startswith("option "):
            name = name.removeprefix("option ")
            if name in machine.defaults:
                text: str = machine.defaults[name]
                return text if text.startswith(ACCELERATORS) else given
            return ("cuda" if machine.cuda else "xla") if name in ("device", "torch_device") else given
    return given


def device_kind(machine: Machine, given: Value) -> Value:
    """Where a device, a device's name or index, or a tensor to be like, is: "cpu", "xla", "cuda" or a choice; None if
    that is not known or nothing was given."""
    given = machine.facts.settle(given)
    if isinstance(given, Choice):
        kinds = tuple((facts, device_kind(machine, one)) for facts, one in given.options)
        return kinds[0][1] if len({one for _, one in kinds}) == 1 else Choice(kinds)
    if isinstance(given, Sym):
        given = _as_device(machine, given)
    if isinstance(given, (str, Sym)):
        if machine.watcher is not None:
            machine.watcher.use_as_device(machine, given)
        kind = (str(given) if isinstance(given, str) else begins(given)).partition(":")[0]
        return kind if kind in ("cpu", "xla", "cuda", "meta") else None
    if isinstance(given, bool) or given is None:
        return None
    if isinstance(given, int):
        return "cuda"
    if isinstance(given, Obj):
        if is_a(given, "torch.device"):
            return machine.facts.settle(given.fields.get("type"))
        if is_tensor(given):
            return machine.facts.settle(given.fields.get("@device"))
    return None
