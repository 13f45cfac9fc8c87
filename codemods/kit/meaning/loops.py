"""Loops: `for`, `while`, comprehensions, generators. A body is run twice where the first run changed something."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Callable
from typing import Any

from codemods.kit.meaning.attributes import set_item
from codemods.kit.meaning.calls import frame_of
from codemods.kit.meaning.choices import options_of
from codemods.kit.meaning.graph import Least, sure_counts
from codemods.kit.meaning.graph import mark as graph_mark
from codemods.kit.meaning.heap import Mark
from codemods.kit.meaning.machine import Dead, Loop, Machine, Path
from codemods.kit.meaning.names import names_of
from codemods.kit.meaning.record import Event
from codemods.kit.meaning.targets import assign_to
from codemods.kit.meaning.tensors import gather, is_tensor
from codemods.kit.meaning.values import (
    ABSENT,
    ELEMENTS,
    LOCAL,
    NO_TAINTS,
    RANK,
    REST,
    VARYING,
    Choice,
    ClassValue,
    Function,
    Item,
    Obj,
    Running,
    Scope,
    Sym,
    Taints,
    Value,
    container,
    is_a,
)

MAX_UNROLLED = 6
"""Of a container of more elements, the first ones and the last are gone through."""
MAX_PARAMETERS = 64
"""The same for a container of parameters."""


class Enough(Exception):
    """The elements that were asked for are there."""


def run_iteration(machine: Machine, loop: Loop, body: Callable[[], Any]) -> None:
    """One iteration of a loop. Raises Dead when no path reaches the loop's next iteration."""
    loop.iteration, loop.began = machine.heap.mark(), machine.heap.serial()
    assumed = machine.facts.mark()
    tainted = len(machine.facts.taints)
    machine.facts.taints.append(loop.differs)
    loop.continues = []
    alive = True
    try:
        body()
    except Dead:
        alive = False
    if loop.continues:
        paths = list(loop.continues)
        if alive:
            paths.append(Path(machine.facts.since(assumed), machine.heap.take_back(loop.iteration)))
        else:
            machine.heap.undo(loop.iteration)
        machine.facts.forget(assumed)
        machine.join(paths)
        alive = True
    machine.facts.forget(assumed)
    del machine.facts.taints[tainted:]
    loop.number += 1
    if not alive:
        raise Dead


def leave_loop(machine: Machine, loop: Loop, alive: bool) -> None:
    """Go on below a loop with what came out of it."""
    if not loop.breaks:
        if not alive:
            raise Dead
        return
    paths = list(loop.breaks)
    if alive:
        paths.append(Path(machine.facts.since(loop.facts), machine.heap.take_back(loop.mark)))
    else:
        machine.heap.undo(loop.mark)
    machine.facts.forget(loop.facts)
    machine.join(paths)


def for_(machine: Machine, node: ast.For | ast.AsyncFor) -> None:
    """A `for` statement."""
    iterated = machine.evaluate(node.iter)
    frame = machine.frame
    loop = Loop(node, machine.heap.mark(), machine.facts.mark())

    def each(element: Value) -> None:
        frame.line = node.lineno
        frame.loops.append(loop)
        depth = len(frame.loops)
        try:
            run_iteration(machine, loop, lambda: _turn(machine, node, element))
        finally:
            del frame.loops[depth - 1 :]
            frame.line = node.lineno  # the next element is made here, whatever making it does

    alive = True
    event(machine, "loop", node)
    try:
        machine.iterate(iterated, each)
    except Dead:
        alive = False
    event(machine, "loop end", node)
    if alive and node.orelse:
        try:
            machine.execute(node.orelse)
        except Dead:
            alive = False
    leave_loop(machine, loop, alive)


def event(machine: Machine, kind: str, node: ast.AST) -> None:
    """Write down that a loop of the user's begins, turns or ends, with the marks made so far at least."""
    if not machine.frame.model:
        machine.frame.line = getattr(node, "lineno", machine.frame.line)
        machine.record.events.append(Event(kind, machine.site, about=sure_counts(machine)))


def _turn(machine: Machine, node: ast.For | ast.AsyncFor, element: Value) -> None:
    event(machine, "turn", node)
    assign_to(machine, node.target, element)
    machine.execute(node.body)


def while_(machine: Machine, node: ast.While) -> None:
    """A `while` statement. Its condition may hold; after the loop it does not."""
    frame = machine.frame
    loop = Loop(node, machine.heap.mark(), machine.facts.mark())
    endless = False
    event(machine, "loop", node)
    alive, second = True, False
    for _ in range(2):
        test = machine.truth(machine.evaluate(node.test))
        if test.value is False:
            break
        endless = test.value is True
        before = machine.heap.mark()
        frame.loops.append(loop)
        depth = len(frame.loops)
        try:
            event(machine, "turn", node)
            run_iteration(machine, loop, lambda: machine.execute(node.body))
        except Dead:
            alive = False
            break
        finally:
            del frame.loops[depth - 1 :]
        if not changed(machine, before):
            break
        widen(machine, before)
        if machine.repeating:
            break
        machine.repeating = second = True
    machine.repeating = machine.repeating and not second
    event(machine, "loop end", node)
    leave_loop(machine, loop, alive and not (endless and isinstance(node.test, ast.Constant)))


def changed(machine: Machine, mark: Mark) -> bool:
    """Whether a piece of program changed something that was there before it ran."""
    writes = machine.heap.written_since(mark)
    return any(writes.before[place] is not ABSENT and writes.before[place] != now for place, now in writes.now.items())


def break_(machine: Machine, node: ast.Break) -> None:
    loop = machine.frame.loops[-1]
    loop.differs |= machine.taints_of_path() & {RANK, LOCAL}
    loop.breaks.append(Path(machine.facts.since(loop.facts), machine.heap.written_since(loop.mark)))
    raise Dead


def continue_(machine: Machine, node: ast.Continue) -> None:
    loop = machine.frame.loops[-1]
    loop.continues.append(Path(machine.facts.since(loop.facts), machine.heap.written_since(loop.iteration)))
    raise Dead


def iterate(machine: Machine, value: Value, each: Callable[[Value], None]) -> None:
    """Run `each` for the elements of a value."""
    value = machine.facts.settle(value)
    if isinstance(value, Choice):
        machine.each(value, lambda one: iterate(machine, one, each))
    elif isinstance(value, tuple):
        _unroll(machine, value, each)
    elif isinstance(value, str):
        again(machine, lambda: each(machine.symbol("a character")))
    elif isinstance(value, Running):
        run_generator(machine, value, each)
    elif isinstance(value, Obj):
        _over_object(machine, value, each)
    elif isinstance(value, Sym):
        again(machine, lambda: each(Sym(("element", value.key, machine.heap.serial()), value.taints | {VARYING})))
    else:
        again(machine, lambda: each(machine.unknown("an element of what is not known")))


def _unroll(machine: Machine, elements: tuple[Value, ...], each: Callable[[Value], None]) -> None:
    if len(elements) > MAX_UNROLLED:
        most = MAX_PARAMETERS if all(map(_holds_parameter, elements)) else MAX_UNROLLED
        elements = elements if len(elements) <= most else (*elements[: most - 1], elements[-1])
    for one in elements:
        each(one)


def _holds_parameter(value: Value) -> bool:
    held = value[-1] if isinstance(value, tuple) and value else value
    if isinstance(held, Choice):
        return any(map(_holds_parameter, held))
    return is_a(held, "torch.nn.Parameter") or is_a(held, "torch.nn.Module")


def again(machine: Machine, once: Callable[[], None]) -> None:
    """Run an iteration, and once more if it changed what was there: what a second iteration meets differs then."""
    mark = machine.heap.mark()
    once()
    if changed(machine, mark):
        widen(machine, mark)
        if not machine.repeating:  # a loop around this one runs once more: its second iteration is one here too
            machine.repeating = True
            try:
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
        iterate(machine, machine.call(method, value), each)
    elif kind == "dict":
        keys = [
            one.key if not isinstance(one.key, tuple) or one.key[:1] != ("object",) else machine.unknown("a key")
            for one in value.fields
            if isinstance(one, Item)
        ]
        _with_rest(machine, tuple(keys), machine.symbol("a key") if REST in value.fields else ABSENT, each)
    elif kind:
        _with_rest(machine, elements_of(machine, value), value.fields.get(REST, ABSENT), each)
    elif isinstance(value.cls, ClassValue) and isinstance(value.cls.find("__getitem__"), Function):
        index = machine.symbol("an index", frozenset({VARYING}))
        again(machine, lambda: each(machine.call(machine.attribute(value, "__getitem__"), index)))
    else:
        taint = _fetched(machine, value)
        again(machine, lambda: each(part_of(machine, value, taint)))


def _fetched(machine: Machine, value: Obj) -> Taints:
    """Elements of what is not known may be data: from where, so that what is trained on can be told."""
    if is_tensor(value) or any(isinstance(one, tuple) and one[0] == "data" for one in gather(machine, (value,)).taints):
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


def comprehension(machine: Machine, node: Any) -> Value:
    """A list, set or dict made by a comprehension, or what a generator expression gives."""
    scope = Scope(machine.site, machine.heap.serial(), machine.frame.scope, names_of(node).local)
    made = machine.new({ast.SetComp: "set", ast.DictComp: "dict"}.get(type(node), "list"))
    first = machine.evaluate(node.generators[0].iter)
    outer = machine.frame.scope
    frame = machine.frame

    def inner(at: int, iterated: Value) -> None:
        def each(element: Value) -> None:
            kept, frame.scope = frame.scope, scope
            try:
                assign_to(machine, node.generators[at].target, element)
                _filtered(machine, node.generators[at].ifs, lambda: deeper(at + 1))
            finally:
                frame.scope = kept

        machine.iterate(iterated, each)

    def deeper(at: int) -> None:
        if at < len(node.generators):
            inner(at, machine.evaluate(node.generators[at].iter))
        else:
            _collect(machine, node, made)

    try:
        inner(0, first)
    finally:
        frame.scope = outer
    return made


def _filtered(machine: Machine, tests: list[ast.expr], then: Callable[[], None]) -> None:
    for one in tests:
        if machine.truth(machine.evaluate(one)).value is False:
            return
    then()


def _collect(machine: Machine, node: Any, made: Obj) -> None:
    if isinstance(node, ast.DictComp):
        set_item(machine, made, machine.evaluate(node.key), machine.evaluate(node.value))
        return
    value = machine.evaluate(node.elt)
    elements = elements_of(machine, made)
    if len(elements) < 4 * MAX_UNROLLED:
        machine.heap.write(made, ELEMENTS, (*elements, value))
