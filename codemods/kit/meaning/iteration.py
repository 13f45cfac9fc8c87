"""Going through the elements of a value. What is done with one is done twice where the first time changed something."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable, Iterator

from codemods.kit.meaning.calls import frame_of
from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.graph import Least
from codemods.kit.meaning.graph import mark as graph_mark
from codemods.kit.meaning.heap import Mark
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.paths import Dead
from codemods.kit.meaning.picking import shuffled
from codemods.kit.meaning.record import Event
from codemods.kit.meaning.tensors import UNREAD, gather, is_tensor
from codemods.kit.meaning.values import (
    ABSENT,
    ELEMENTS,
    MANY,
    NO_TAINTS,
    REST,
    VARYING,
    Choice,
    ClassValue,
    Function,
    Item,
    Obj,
    Running,
    Sym,
    Taints,
    Value,
    container,
    data_of,
    is_a,
)

MAX_UNROLLED = 6
"""Of a container of more elements, the first ones and the last are gone through."""
MAX_PARAMETERS = 64
"""The same for a container of parameters."""


class Enough(Exception):
    """The elements that were asked for are there."""


def changed(machine: Machine, mark: Mark) -> bool:
    """Whether a piece of program changed something that was there before it ran."""
    writes = machine.heap.written_since(mark)
    return any(writes.before[place] is not ABSENT and writes.before[place] != now for place, now in writes.now.items())


def iterate(machine: Machine, value: Value, each: Callable[[Value], None], *, begun: bool = False) -> None:
    """Run `each` for the elements of a value. `begun`: somebody goes through it already."""
    value = machine.facts.settle(value)
    if isinstance(value, Choice):
        machine.each(value, lambda one: iterate(machine, one, each, begun=begun))
    elif isinstance(value, tuple):
        _unroll(machine, value, each)
    elif isinstance(value, str):
        again(machine, lambda: each(machine.symbol("a character")))
    elif isinstance(value, Running):
        run_generator(machine, value, _watched(machine, value.scope, value.function, each))
    elif isinstance(value, Obj):
        if machine.watcher is not None and not begun:
            machine.watcher.epochs.go_through(machine, value)
        _over_object(machine, value, each)
    elif isinstance(value, Sym):
        taints = value.taints | shuffled(machine, value) | {VARYING}
        again(machine, lambda: each(Sym(("element", value.key, machine.heap.serial()), taints)))
    else:
        again(machine, lambda: each(machine.unknown("an element of what is not known")))


def _unroll(machine: Machine, elements: tuple[Value, ...], each: Callable[[Value], None]) -> None:
    most = MAX_PARAMETERS if len(elements) > MAX_UNROLLED and all(map(holds_parameter, elements)) else MAX_UNROLLED
    if len(elements) <= most:
        for one in elements:
            each(one)
        return
    with standing_for_many(machine):
        for one in (*elements[: most - 1], elements[-1]):
            each(one)


@contextlib.contextmanager
def standing_for_many(machine: Machine) -> Iterator[None]:
    """What is done meanwhile is done an unknown number of times."""
    before, machine.many_since = machine.many_since, machine.heap.serial()
    try:
        yield
    finally:
        machine.many_since = before


def is_put(machine: Machine, target: Obj) -> None:
    """Something is put into a container, or taken out: by an iteration for many, its length is not known any more."""
    if target.serial < machine.many_since:
        since = (loop.rounds for frame in machine.frames for loop in frame.loops if loop.started > target.serial)
        machine.heap.write(target, MANY, NO_TAINTS.union(*since) or True)


def holds_parameter(value: Value) -> bool:
    """Whether an element is a parameter or a module, or an item with one or with a tensor: each may be moved here."""
    item = isinstance(value, tuple) and len(value) == 2
    held = value[-1] if isinstance(value, tuple) and value else value
    if isinstance(held, Choice):
        return any(map(holds_parameter, held))
    return is_a(held, "torch.nn.Parameter") or is_a(held, "torch.nn.Module") or (item and is_tensor(held))


def again(machine: Machine, once: Callable[[], None]) -> None:
    """Run an iteration, and once more if it changed what was there: what a second iteration meets differs then."""
    mark = machine.heap.mark()
    with standing_for_many(machine):
        once()
    if changed(machine, mark):
        widen(machine, mark)
        if not machine.repeating:  # a loop around this one runs once more: its second iteration is one here too
            machine.repeating = True
            try:
                with standing_for_many(machine):
                    once()
            finally:
                machine.repeating = False


def widen(machine: Machine, mark: Mark) -> None:
    """A number that one iteration changed is another one in each: from here on it is not known."""
    writes = machine.heap.written_since(mark)
    for (target, name), now in writes.now.items():
        before = writes.before[target, name]
        if now != before and _is_number(now) and _is_number(before):
            machine.heap.write(target, name, machine.symbol(f"counter {name}", frozenset({VARYING})))


def _is_number(value: Value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, (bool, Least))


def _over_object(machine: Machine, value: Obj, each: Callable[[Value], None]) -> None:
    kind = container(value)
    method = value.cls.find("__iter__") if isinstance(value.cls, ClassValue) else ABSENT
    if isinstance(method, Function):
        each = _watched(machine, value, method, each)
        given = machine.call(method, value)
        if given is value:
            again(machine, lambda: each(machine.call(machine.attribute(value, "__next__"))))
        else:
            iterate(machine, given, each)
    elif kind == "dict":
        keys = [
            one.key if not isinstance(one.key, tuple) or one.key[:1] != ("object",) else machine.unknown("a key")
            for one in value.fields
            if isinstance(one, Item)
        ]
        _with_rest(machine, tuple(keys), machine.symbol("a key") if REST in value.fields else ABSENT, each)
    elif kind:
        with standing_for_many(machine) if MANY in value.fields else contextlib.nullcontext():
            _unroll(machine, elements_of(machine, value), each)
        _with_rest(machine, (), value.fields.get(REST, ABSENT), each)
    elif isinstance(value.cls, ClassValue) and isinstance(value.cls.find("__getitem__"), Function):
        index = machine.symbol("an index", frozenset({VARYING}))
        again(machine, lambda: each(machine.call(machine.attribute(value, "__getitem__"), index)))
    else:
        taint = _fetched(machine, value)
        again(machine, lambda: each(part_of(machine, value, taint)))


def _watched(machine: Machine, value: Obj, method: Function, each: Callable[[Value], None]) -> Callable[[Value], None]:
    """`each`, also told to the watcher where a class of the program's own hands out the elements."""
    watcher = machine.watcher
    if watcher is None or method.module.fields.get("__model__"):
        return each

    def run(element: Value) -> None:
        watcher.hand_out(machine, value, element)
        each(element)

    return run


def _fetched(machine: Machine, value: Obj) -> Taints:
    """Elements of what is not known may be data: from where, so that what is trained on can be told."""
    if is_tensor(value) or data_of(gather(machine, (value,)).taints):
        return NO_TAINTS
    machine.record.events.append(
        Event("fetch", machine.site, machine.chain(), about=(value.site, None, value.serial, True, (0, 0)))
    )
    return frozenset({("data", value.serial)})


def part_of(machine: Machine, value: Obj, more: Taints = NO_TAINTS) -> Value:
    """An element of a tensor or of something that is not known: like the whole in device and taints."""
    traits = gather(machine, (value,))
    made = machine.new("Tensor" if is_tensor(value) else "unknown", {"@why": "an element of what is not known"})
    made.fields.update({"@deps": traits.deps, "@taints": traits.taints | more})
    made.fields.update({name: value.fields.get(name) for name in ("@device", "@scalar")})
    if UNREAD in value.fields:
        made.fields[UNREAD] = True
    return made


def elements_of(machine: Machine, value: Obj) -> tuple[Value, ...]:
    """What a list or set holds for certain; where paths disagree, the most that one of them put in."""
    found = machine.facts.settle(value.fields.get(ELEMENTS, ()))
    if isinstance(found, Choice):
        found = max((one for one in found if isinstance(one, tuple)), key=len, default=())
    return found if isinstance(found, tuple) else ()


def _with_rest(machine: Machine, known: tuple[Value, ...], rest: Value, each: Callable[[Value], None]) -> None:
    _unroll(machine, known, each)
    if rest is not ABSENT:
        again(machine, lambda: each(anew(machine, rest)))


def anew(machine: Machine, rest: Value) -> Value:
    """One of the elements that are not listed: a number that varies is another one each time."""
    if isinstance(rest, Sym) and VARYING in rest.taints:
        return Sym(("number", machine.heap.serial()), rest.taints, rest.kind)
    return rest


def run_generator(machine: Machine, running: Running, each: Callable[[Value], None]) -> None:
    """Run a generator's body; what it yields is handed to `each` while it waits."""
    with machine.entered(frame_of(running.function, running.scope)) as frame:
        frame.consumer = each
        assert not isinstance(running.function.node, ast.Lambda)
        try:
            machine.execute(running.function.node.body)
        except Dead:
            if not frame.returns:
                raise
            machine.heap.undo(frame.mark)
            machine.join(frame.returns)


def run_out(machine: Machine, iterator: Value) -> None:
    """The `next()` that finds no element any more: a device loader marks before it raises."""
    for one in options_of(machine.facts, iterator):
        inner = machine.facts.settle(one.fields.get("of")) if isinstance(one, Obj) and one.cls == "iterator" else one
        owner = inner.function.owner if isinstance(inner, Running) else None
        if owner is not None and owner.name == "MpDeviceLoader" and not machine.cuda:
            graph_mark(machine)
            return


def take(machine: Machine, running: Running, skip: int) -> Value:
    """The element that `next()` gives after `skip` others; what the generator does before it is done."""
    found: list[Value] = []

    def each(value: Value) -> None:
        found.append(value)
        if len(found) > skip:
            raise Enough

    # Its loops go round for it, whatever the loop does that asks.
    repeating, machine.repeating = machine.repeating, False
    try:
        with contextlib.suppress(Enough):
            run_generator(machine, running, each)
    finally:
        machine.repeating = repeating
    return found[-1] if found else machine.unknown("an element of an empty generator")
