"""Calls: of functions, classes, bound methods and of what is not known."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from codemods.kit.meaning.bounds import MAX_DEPTH, MAX_NESTED, MAX_RECURSION
from codemods.kit.meaning.choices import key_of
from codemods.kit.meaning.classes import bind
from codemods.kit.meaning.frames import Frame
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.made_again import made_again
from codemods.kit.meaning.names import names_of
from codemods.kit.meaning.paths import Dead, Path, Returned
from codemods.kit.meaning.record import Event
from codemods.kit.meaning.tensors import is_unknown
from codemods.kit.meaning.unread_calls import call_unknown, unread, watch
from codemods.kit.meaning.values import (
    ABSENT,
    PLAIN,
    REST,
    TAKEN,
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
    Scope,
    Sym,
    Value,
)


def call_value(machine: Machine, function: Value, arguments: Sequence[Value], keywords: dict[str, Value]) -> Value:
    """What a call gives."""
    function = machine.facts.settle(function)
    kind = type(function)
    if kind is Primitive:
        return _run_primitive(machine, function, arguments, keywords)
    if kind is Function:
        return call_function(machine, function, arguments, keywords)
    if kind is Bound:
        return call_value(machine, function.function, (function.receiver, *arguments), keywords)
    if kind is ClassValue:
        return instantiate(machine, function, arguments, keywords)
    if kind is Choice:
        return machine.each(_others(machine, function), lambda one: call_value(machine, one, arguments, keywords))
    if kind is Partial:
        return call_value(
            machine, function.function, (*function.arguments, *arguments), {**dict(function.keywords), **keywords}
        )
    if isinstance(function, Obj) and isinstance(function.cls, ClassValue) and not is_unknown(function):
        method = function.cls.find("__call__")
        if method is not ABSENT:
            return call_value(machine, bind(machine, method, function, function.cls), arguments, keywords)
    if isinstance(function, Obj) and isinstance(function.fields.get(PLAIN), Primitive):
        return call_value(machine, function.fields[PLAIN], arguments, keywords)
    return call_unknown(machine, function, arguments, keywords)


def _others(machine: Machine, choice: Choice) -> Choice:
    """Where a registry may make any of its classes, those that are not just being made: nothing is made of itself."""
    made = {id(frame.function.node) for frame in machine.frames if frame.function and frame.function.name == "__init__"}
    left = [one for one in choice.options if not (isinstance(one[1], ClassValue) and id(_start(one[1])) in made)]
    return Choice(tuple(left)) if 0 < len(left) < len(choice.options) else choice


def _start(cls: ClassValue) -> ast.AST | None:
    start = cls.find("__init__")
    return start.node if isinstance(start, Function) else None


def _run_primitive(
    machine: Machine, function: Primitive, arguments: Sequence[Value], keywords: dict[str, Value]
) -> Value:
    """Run a function of the engine's. What it cannot do is unknown and said; the rest of the program is followed."""
    depth = len(machine.frames)
    if keywords and isinstance(keywords.get("**"), Sym):
        keywords = {name: one for name, one in keywords.items() if name != "**"}
    try:
        return function.run(machine, *arguments, **keywords)
    except (TypeError, AttributeError, KeyError, IndexError, ValueError, AssertionError) as error:
        if "argument" not in str(error) or not isinstance(error, TypeError):
            about = f"{function.name}: {type(error).__name__}"
            machine.record.events.append(Event("trouble", machine.site, machine.chain(), about=about))
        del machine.frames[depth:]
        return machine.unknown(f"{function.name} with arguments that it does not take")


def call_function(
    machine: Machine, function: Function, arguments: Sequence[Value], keywords: dict[str, Value]
) -> Value:
    """Run a function's body, or make the generator it stands for."""
    if len(machine.frames) > MAX_DEPTH or _again(machine, function, arguments):
        machine.record.events.append(Event("too deep", machine.site, machine.chain(), about=function.name))
        return unread(machine, f"{function.name}, called too deep", (*arguments, *keywords.values()))
    names = names_of(function.node)
    _note_call(machine, function, arguments, keywords)
    scope = Scope(machine.site, machine.heap.serial(), function.scope, names.local)
    bind_arguments(machine, function, scope, arguments, keywords)
    if function.generates:
        scope.fields[TAKEN] = 0
        return Running(function, scope)
    return run_body(machine, function, scope)


def _note_call(machine: Machine, function: Function, arguments: Sequence[Value], keywords: dict[str, Value]) -> None:
    """Write down what the program itself calls of torch_xla, and with which arguments."""
    library = str(function.module.fields.get("__name__", ""))
    if library.startswith("torch_xla") and function.owner is None and not machine.frame.model:
        asked = function.name == "__getattr__"
        name, given = (arguments[0], None) if asked else (function.name, len(arguments))
        machine.happen("library call", (f"{library}.{name}", given, tuple(keywords)))


def _again(machine: Machine, function: Function, arguments: Sequence[Value]) -> bool:
    """Whether a function of the program calls itself too often: on one object twice, on several somewhat more.

    On what nobody knows it would go on for ever, and with a loop in it twice as wide each time.
    """
    if function.module.fields.get("__model__"):
        return False
    node = function.node
    running = [one for one in machine.frames if one.function is not None and one.function.node is node]
    if len(running) < MAX_RECURSION:
        return False
    named = node.args.args[0].arg if node.args.args and arguments else ""
    same = [one for one in running if named and one.scope.fields.get(named) is arguments[0]]
    given = arguments[1:] if named == "self" else arguments
    blind = bool(given) and all(isinstance(one, Sym) or is_unknown(one) for one in given)
    return blind or len(same) >= MAX_RECURSION or len(running) >= MAX_NESTED


def frame_of(function: Function, scope: Scope) -> Frame:
    """The frame in which a function's body runs."""
    fields, names = function.module.fields, names_of(function.node)
    frame = Frame(scope, function.module, fields.get("__path__", ""), function, bool(fields.get("__model__")))
    frame.line = function.node.lineno
    frame.foreign = names.globals | names.nonlocals
    return frame


def run_body(machine: Machine, function: Function, scope: Scope) -> Value:
    """What a function's body returns, over all of its paths."""
    machine.ran.add(id(function.node))
    for mode in ("no_grad", "autocast"):
        if mode in function.marks and machine.facts.settle(machine.world.fields[mode]) is not True:
            machine.heap.write(machine.world, mode, True)
            try:
                return run_body(machine, function, scope)
            finally:
                machine.heap.write(machine.world, mode, False)
    with machine.entered(frame_of(function, scope)) as frame:
        if isinstance(function.node, ast.Lambda):
            return machine.evaluate(function.node.body)
        ended: Dead | None = None
        try:
            machine.execute(function.node.body)
        except Returned as returned:
            return returned.value
        except Dead as dead:
            ended = dead
        if not frame.returns:
            if ended is not None:
                raise ended
            return None
        return finish(machine, frame, alive=ended is None)


def finish(machine: Machine, frame: Frame, alive: bool) -> Value:
    """Join what returned with what came out at the end."""
    paths = list(frame.returns)
    if alive:
        paths.append(Path(machine.facts.since(frame.facts), machine.heap.take_back(frame.mark), None))
    else:
        machine.heap.undo(frame.mark)
    return machine.join(paths)


def bind_arguments(
    machine: Machine, function: Function, scope: Scope, arguments: Sequence[Value], keywords: dict[str, Value]
) -> None:
    """Give the parameters their values."""
    node = function.node.args
    positional = [*node.posonlyargs, *node.args] if node.posonlyargs else node.args
    left = dict(keywords)
    more = left.pop("**", ABSENT)
    put = scope.fields.__setitem__
    for parameter, value in zip(positional, arguments, strict=False):
        put(parameter.arg, value)
    for at, parameter in enumerate(positional[len(arguments) :], len(arguments)):
        default_at = at - (len(positional) - len(function.defaults))
        if parameter.arg in left:
            given = left.pop(parameter.arg)
            default = function.defaults[default_at] if default_at >= 0 else ABSENT
            put(parameter.arg, given_or(machine, given, default))
        elif more is not ABSENT:
            put(parameter.arg, _handed_over(machine, more, parameter.arg))
        elif default_at >= 0:
            put(parameter.arg, function.defaults[default_at])
        else:
            put(parameter.arg, machine.unknown(f"parameter {parameter.arg}, which the caller does not give"))
    if node.vararg is not None:
        put(node.vararg.arg, tuple(arguments[len(positional) :]))
    for name, default in function.keyword_defaults:
        put(name, left.pop(name, default))
    for parameter in node.kwonlyargs:
        if parameter.arg not in scope.fields:
            put(parameter.arg, left.pop(parameter.arg, machine.symbol(parameter.arg)))
    if node.kwarg is not None:
        fields: dict[Any, Value] = {Item(name): value for name, value in left.items()}
        if more is not ABSENT and isinstance(more, Obj):
            fields.update({name: value for name, value in more.fields.items() if isinstance(name, Item)})
        if more is not ABSENT:
            fields.setdefault(
                REST,
                Sym(("item", key_of(more)), more.taints) if isinstance(more, Sym) else machine.unknown("a keyword"),
            )
        put(node.kwarg.arg, machine.new("dict", fields))


def _handed_over(machine: Machine, keywords: Value, name: str) -> Value:
    if isinstance(keywords, Sym):
        return Sym(("item", keywords.key, name), keywords.taints)
    return machine.unknown(f"{name}, handed over in **keywords")


def given_or(machine: Machine, given: Value, default: Value) -> Value:
    """An argument that only some paths give: the default on the others."""
    bound = machine.facts.bound(given)
    if bound is given or default is ABSENT or not isinstance(given, Choice):
        return bound if bound is not ABSENT else default
    return Choice(tuple((facts, default if one is UNBOUND else one) for facts, one in given.options))


def instantiate(machine: Machine, cls: ClassValue, arguments: Sequence[Value], keywords: dict[str, Value]) -> Value:
    """A new object of a class, initialised."""
    maker = cls.find("__make__")
    if maker is not ABSENT:  # a model's class whose objects are not plain: the model makes them
        return call_value(machine, maker, (cls, *arguments), keywords)
    if "torch.nn.Module" in cls.qualified:
        return made_again(machine, cls, arguments, keywords, lambda: _made(machine, cls, arguments, keywords))
    return _made(machine, cls, arguments, keywords)


def _made(machine: Machine, cls: ClassValue, arguments: Sequence[Value], keywords: dict[str, Value]) -> Value:
    made = machine.new(cls)
    start = cls.find("__init__")
    if start is not ABSENT:
        call_value(machine, start, (made, *arguments), keywords)
    elif cls.find("__dataclass__") is not ABSENT:
        _fill_dataclass(machine, cls, made, arguments, keywords)
    elif not cls.known:
        for name, value in keywords.items():
            machine.heap.write(made, name, value)
        watch(machine, (*arguments, *keywords.values()), f"class {cls.name}, whose base is not read")
    return made


def _fill_dataclass(
    machine: Machine, cls: ClassValue, made: Obj, arguments: Sequence[Value], keywords: dict[str, Value]
) -> None:
    names: list[str] = []
    for one in reversed(cls.order):
        if isinstance(one, ClassValue):
            names += [name for name in one.space.fields.get("__fields__", ()) if name not in names]
    given = dict(zip(names, arguments, strict=False)) | keywords
    for name in names:
        value = given.get(name, cls.find(name))
        if name not in given and "**" in given:
            value = _handed_over(machine, given["**"], name)
        if isinstance(value, Obj) and value.cls == "field":
            factory = value.fields["factory"]
            value = machine.call(factory) if factory is not None else value.fields["default"]
        machine.heap.write(made, name, machine.symbol(name) if value is ABSENT else value)
    after = cls.find("__post_init__")
    if after is not ABSENT:
        machine.call(after, made)
