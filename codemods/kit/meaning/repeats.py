"""Networks that run again. A large program calls the same blocks hundreds of times, and each time the same comes of it.

What a module's `forward` made of tensors is kept when it did nothing else but read: nothing written to what was there
before. The next call of that module with the like of these makes the like of that, without the work. Small
programs never get here: every call of theirs is followed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from codemods.kit.meaning import graph, parameters
from codemods.kit.meaning.bounds import REPEATS, WORTH
from codemods.kit.meaning.choices import key_of, options_of
from codemods.kit.meaning.heap import Mark
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.module_primitives import inherited, inner_modules
from codemods.kit.meaning.record import Event
from codemods.kit.meaning.tensors import NO_DEPS, gather, is_tensor, is_unknown, merged
from codemods.kit.meaning.values import CONSTANTS, ELEMENTS, Choice, Obj, Sym, Value, class_name, container, is_a

_SILENT = frozenset(
    "loop|turn|rounds|loop end|forward|only run|run|devices|on host|dynamic shape|enter".split("|")
)
"""Events that tell nothing new when they happen again."""
_AGAIN = frozenset({"read", "early read", "to host", "fetch", "kept graph", "copied"})
"""Events that happen again with the call."""
_WORLD = frozenset({"pending", "reads"})
_CHANGES = ("@deps", "@taints")
_PLAIN = (*CONSTANTS, Sym, Choice)


class _State:
    """What goes into a call: what is given, what the module holds, and their traits."""

    def __init__(self, machine: Machine, module: Obj, given: tuple[Value, ...]) -> None:
        held = list(parameters.each_parameter(machine, (value for _, value in parameters.slots(machine, module))))
        self.own = frozenset(one.serial for one in held)
        """The parameters and buffers."""
        plain = (one for one in module.fields.values() if is_tensor(one) and not is_a(one, parameters.PARAMETER))
        traits = gather(machine, (*given, *plain))
        self.deps = traits.deps
        self.taints = traits.taints.union(*map(inherited, held))


class _Kept(NamedTuple):
    """What came of a call, and of what."""

    result: Value
    state: _State
    events: tuple[Event, ...]
    """What happened in it, with the calls and loops that are its own."""


def again(machine: Machine, module: Obj, given: tuple[Value, ...], run: Callable[[], Value]) -> Value:
    """What a module makes of values: run, or as it was when it was given the like of these before."""
    if machine.steps < REPEATS:
        return run()
    of_module = machine.runs.setdefault(module.serial, {})
    key = _signature(machine, module, given) if of_module else None
    if key in of_module:
        kept, state = of_module[key], _State(machine, module, given)
        if kept.state.own == state.own:
            _happen(machine, kept.events)
            return _alike(machine, kept.result, kept.state, state)
    mark, events, steps = machine.heap.mark(), len(machine.record.events), machine.steps
    result = run()
    if machine.steps - steps > WORTH:
        whole = merged(machine, result) if isinstance(result, Choice) else result
        key = _signature(machine, module, given)
        happened = machine.record.events[events:]
        silent = all(one.kind in _SILENT or one.kind in _AGAIN for one in happened)
        if key is not None and silent and _is_plain(machine, whole) and not _writes(machine, mark):
            state = _State(machine, module, given)
            copied = _alike(machine, whole, state, state)  # what was made on a path is another when the path is left
            of_module[key] = _Kept(copied, state, _own_events(machine, happened))
    return result


def _own_events(machine: Machine, happened: Iterable[Event]) -> tuple[Event, ...]:
    calls, loops = len(machine.chain()), len(machine.loops())
    found: dict[Any, Event] = {}
    for one in happened:
        if one.kind in _AGAIN:
            own = one._replace(chain=one.chain[calls:], loops=one.loops[loops:])
            found.setdefault((own.kind, own.site, own.chain, own.loops, str(own.about)), own)
    return tuple(found.values())


def _happen(machine: Machine, events: Iterable[Event]) -> None:
    """What happened in a call happens again, below the present line."""
    for one in events:
        loops = machine.loops() + one.loops
        machine.record.events.append(
            one._replace(chain=machine.chain() + one.chain, loops=loops, taints=machine.taints_of_path())
        )
        if one.kind == "read" and not machine.cuda:
            reads = machine.world.fields["reads"]
            machine.heap.write(machine.world, "reads", graph.May(reads | {loops[-1:]}))


def _signature(machine: Machine, module: Obj, given: Iterable[Value]) -> Any:
    """What decides how a module runs, as far as its caller has a say; None when that cannot be told."""
    found: list[Any] = [module.serial, graph.no_grad(machine), *_settings(machine, module)]
    for one in given:
        kinds = frozenset(_kind(machine, option) for option in options_of(machine.facts, one))
        if None in kinds:
            return None
        found.append(kinds)
    return tuple(found)


def _settings(machine: Machine, module: Obj) -> Iterator[Any]:
    """The plain values that a module and those in it have: whether it trains, which of its parts it leaves out."""
    for one in (module, *inner_modules(machine, module, True)):
        for name, value in one.fields.items():
            if type(value) is Choice:
                value = machine.facts.settle(value)
            if isinstance(value, _PLAIN):
                yield one.serial, name, tuple(map(key_of, options_of(machine.facts, value)))


def _kind(machine: Machine, value: Value) -> Any:
    if is_tensor(value) or is_unknown(value):
        kinds = (machine.facts.settle(value.fields.get(name)) for name in ("@device", "@scalar", "@boolean"))
        return class_name(value), *map(key_of, kinds), bool(value.fields.get("@deps"))
    return key_of(value) if isinstance(value, (*CONSTANTS, Sym)) else None


def _is_plain(machine: Machine, value: Value) -> bool:
    """Whether a result is tensors and constants, in tuples and lists."""
    if isinstance(value, (tuple, Choice)):
        return all(_is_plain(machine, one) for one in value)
    if container(value) == "list":
        return value.fields.keys() <= {ELEMENTS} and _is_plain(machine, value.fields.get(ELEMENTS, ()))
    if is_tensor(value) or is_unknown(value):
        return not is_a(value, parameters.PARAMETER)
    return isinstance(value, (*CONSTANTS, Sym))


def _writes(machine: Machine, mark: Mark) -> bool:
    """Whether what was there before was changed, beyond what statistics take over from a batch."""
    writes = machine.heap.written_since(mark)
    for (target, name), value in writes.now.items():
        if target.serial > mark.serial or name in _CHANGES or (target is machine.world and name in _WORLD):
            continue
        before = writes.before[target, name]
        if isinstance(value, CONSTANTS) and value == before:
            continue
        if not isinstance(before, Choice) or not set(map(id, options_of(machine.facts, value))) <= set(map(id, before)):
            return True  # more than that a test took options off
    return False


def _alike(machine: Machine, value: Value, before: _State, now: _State) -> Value:
    """The like of what came of a call, of what goes into this one."""
    if isinstance(value, tuple):
        return tuple(_alike(machine, one, before, now) for one in value)
    if isinstance(value, Choice):
        return Choice(tuple((facts, _alike(machine, one, before, now)) for facts, one in value.options))
    if not isinstance(value, Obj):
        return value
    if container(value):
        return machine.new(value.cls, {ELEMENTS: _alike(machine, value.fields.get(ELEMENTS, ()), before, now)})
    deps, taints = value.fields["@deps"], value.fields["@taints"]
    passes = not before.deps or deps & before.deps
    more = {
        "@deps": (deps - before.deps) | (now.deps if passes and not graph.no_grad(machine) else NO_DEPS),
        "@taints": (taints - before.taints) | now.taints,
    }
    return machine.new(value.cls, {**value.fields, **more})
