"""The syntax of statements, one handler a kind."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from codemods.kit.meaning.arms import watched_arms
from codemods.kit.meaning.attributes import get_attribute
from codemods.kit.meaning.definitions import class_, function
from codemods.kit.meaning.iteration import is_put, run_out
from codemods.kit.meaning.loops import break_, continue_, for_, while_
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.managers import generator_of, run_around
from codemods.kit.meaning.modules import import_, import_from
from codemods.kit.meaning.names import assign
from codemods.kit.meaning.operators import binary
from codemods.kit.meaning.partings import handled, part, swallow
from codemods.kit.meaning.paths import Dead, Path, Returned, Stopped
from codemods.kit.meaning.targets import assign_to
from codemods.kit.meaning.tensors import gather, is_tensor
from codemods.kit.meaning.values import (
    ABSENT,
    ELEMENTS,
    MANY,
    NO_TAINTS,
    REST,
    Choice,
    Obj,
    Value,
    container,
)


def expression(machine: Machine, node: ast.Expr) -> None:
    machine.evaluate(node.value)


def assignment(machine: Machine, node: ast.Assign) -> None:
    value = machine.evaluate(node.value)
    for target in node.targets:
        assign_to(machine, target, value)


def annotated(machine: Machine, node: ast.AnnAssign) -> None:
    scope = machine.frame.scope
    if scope.is_class and isinstance(node.target, ast.Name):
        fields = scope.fields.get("__fields__", ())
        machine.heap.write(scope, "__fields__", (*fields, node.target.id))
    if node.value is not None:
        assign_to(machine, node.target, machine.evaluate(node.value))


def augmented(machine: Machine, node: ast.AugAssign) -> None:
    """`target op= value`: a tensor, list or dict is changed in place."""
    load: ast.expr = node.target
    old = machine.evaluate(_as_load(load))
    value = machine.evaluate(node.value)
    settled = machine.facts.settle(old)
    if is_tensor(settled):
        machine.call(machine.attribute(settled, _IN_PLACE.get(type(node.op), "in_place_")), value)
        return
    if container(settled) in ("list", "dict", "set"):
        _extend(machine, settled, value)
        return
    assign_to(machine, node.target, binary(machine, type(node.op), old, value))


_IN_PLACE = {ast.Add: "add_", ast.Sub: "sub_", ast.Mult: "mul_", ast.Div: "div_"}


def _extend(machine: Machine, target: Obj, value: Value) -> None:
    value = machine.facts.settle(value)
    known = value.fields.get(ELEMENTS) if isinstance(value, Obj) else value
    held = target.fields.get(ELEMENTS, ())
    if isinstance(value, Obj) and MANY in value.fields:
        machine.heap.write(target, MANY, True)
    if isinstance(known, tuple) and isinstance(held, tuple) and len(held) < 64:
        is_put(machine, target)
        machine.heap.write(target, ELEMENTS, held + known)
    elif gather(machine, (value,)).tensors:
        machine.heap.write(target, REST, gather(machine, (value,)).tensors[0])


def _as_load(node: ast.expr) -> ast.expr:
    """The target of an augmented assignment, as the expression that reads it."""
    if isinstance(node, ast.Name):
        return ast.copy_location(ast.Name(node.id, ast.Load()), node)
    if isinstance(node, ast.Attribute):
        return ast.copy_location(ast.Attribute(node.value, node.attr, ast.Load()), node)
    if isinstance(node, ast.Subscript):
        return ast.copy_location(ast.Subscript(node.value, node.slice, ast.Load()), node)
    return node


def if_(machine: Machine, node: ast.If) -> None:
    test = machine.truth(machine.evaluate(node.test))

    with watched_arms(machine, test) as run:

        def side(holds: bool) -> Value:
            narrow(machine, node.test, holds)
            run(node.body if holds else node.orelse)
            return None

        machine.branch(test, lambda: side(True), lambda: side(False))


def narrow(machine: Machine, test: ast.expr, holds: bool) -> None:
    """What a test says of the variable it asks: `if x is not None` leaves x without None."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        narrow(machine, test.operand, not holds)
    elif isinstance(test, ast.BoolOp):
        if isinstance(test.op, ast.And) is holds:
            for one in test.values:
                narrow(machine, one, holds)
    elif isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.comparators[0], ast.Constant):
        if test.comparators[0].value is None and isinstance(test.ops[0], (ast.Is, ast.Eq, ast.IsNot, ast.NotEq)):
            _without(machine, test.left, isinstance(test.ops[0], (ast.Is, ast.Eq)) is not holds)
    elif holds:
        _without(machine, test, True)


def _without(machine: Machine, node: ast.expr, none: bool) -> None:
    """Take None off the options of a variable or attribute, or all but None."""
    if not none or not isinstance(node, (ast.Name, ast.Attribute)):
        return
    owner = machine.frame.scope if isinstance(node, ast.Name) else machine.facts.settle(machine.evaluate(node.value))
    name = node.id if isinstance(node, ast.Name) else node.attr
    value = owner.fields.get(name) if isinstance(owner, Obj) else None
    value = machine.facts.settle(value)
    if isinstance(value, Choice) and any(one is None for one in value):
        options = tuple(option for option in value.options if option[1] is not None)
        if options and isinstance(owner, Obj):
            machine.heap.write(owner, name, options[0][1] if len(options) == 1 else Choice(options))


def return_(machine: Machine, node: ast.Return) -> None:
    value = None if node.value is None else machine.evaluate(node.value)
    frame = machine.frame
    if frame.loops:
        part(machine, "return")
    if not frame.returns and not frame.loops and machine.facts.mark() == frame.facts and frame.consumer is None:
        raise Returned(value)
    frame.returns.append(Path(machine.facts.since(frame.facts), machine.heap.written_since(frame.mark), value))
    raise Dead


def raise_(machine: Machine, node: ast.Raise) -> None:
    part(machine, "ends")
    raise Stopped


def assert_(machine: Machine, node: ast.Assert) -> None:
    test = machine.truth(machine.evaluate(node.test))
    if test.value is None:
        part(machine, "ends", test.taints)
        machine.facts.assume(test.key, test.when)
    elif test.value is False and not machine.frame.model and not _counts(node.test):
        raise Dead


def _counts(test: ast.expr) -> bool:
    """Whether a test asks how many there are: how many parameters a library's network has is not known."""
    calls = (one.func for one in ast.walk(test) if isinstance(one, ast.Call))
    return any(isinstance(one, ast.Name) and one.id == "len" for one in calls)


def delete(machine: Machine, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            machine.heap.write(machine.frame.scope, target.id, ABSENT)
        elif isinstance(target, ast.Attribute):
            owner = machine.facts.settle(machine.evaluate(target.value))
            if isinstance(owner, Obj):
                machine.heap.write(owner, target.attr, ABSENT)


def with_(machine: Machine, node: ast.With | ast.AsyncWith) -> None:
    """`with`: enter each manager, run the body, leave them in reverse order."""
    _within(machine, node.items, node.body)


def _within(machine: Machine, items: Sequence[ast.withitem], body: Sequence[ast.stmt]) -> None:
    if not items:
        machine.execute(body)
        return
    manager = machine.evaluate(items[0].context_expr)

    def block(value: Value) -> None:
        if items[0].optional_vars is not None:
            assign_to(machine, items[0].optional_vars, value)
        _within(machine, items[1:], body)

    generator = generator_of(machine, manager)
    if generator is not None:
        run_around(machine, generator, block)
        return
    value = machine.call(get_attribute(machine, manager, "__enter__"))
    try:
        block(value)
    except Dead:
        leave(machine, manager)
        raise
    leave(machine, manager)


def leave(machine: Machine, manager: Value) -> None:
    machine.call(get_attribute(machine, manager, "__exit__"), None, None, None)


def try_(machine: Machine, node: ast.Try) -> None:
    """`try`: the body, or one of the handlers instead of it; what comes last comes after either."""

    def body() -> Value:
        machine.execute(node.body)
        machine.execute(node.orelse)
        return None

    if all(map(_is_there, node.body)):
        body()
        machine.execute(node.finalbody)
        return
    key, began = ("raises", machine.site), len(machine.record.events)
    tried = frozenset({"tried"}) if node.handlers else NO_TAINTS
    tries = [machine.try_path([(key, False)], body, tried)]
    swallow(machine, node.handlers, machine.record.events[began:])
    for at, handler in enumerate(node.handlers):
        facts = [(key, True), ((key, at), True)]
        tries.append(machine.try_path(facts, partial(_handle, machine, handler, node.body), handled(handler)))
    paths = [path for path in tries if path is not None]
    if not paths and node.finalbody:
        machine.execute(node.finalbody)
    machine.join(paths)
    machine.execute(node.finalbody)


def _is_there(statement: ast.stmt) -> bool:
    """Whether a statement imports from torch, which every program here has: what stands in for it does not run."""
    if isinstance(statement, ast.ImportFrom):
        return not statement.level and (statement.module or "").partition(".")[0] == "torch"
    return isinstance(statement, ast.Import) and all(one.name.partition(".")[0] == "torch" for one in statement.names)


_RUNS_OUT = ("StopIteration", "Exception")


def _handle(machine: Machine, handler: ast.ExceptHandler, tried: list[ast.stmt]) -> Value:
    asked = [one for statement in tried for one in ast.walk(statement) if isinstance(one, ast.Call)]
    if handler.type is None or (isinstance(handler.type, ast.Name) and handler.type.id in _RUNS_OUT):
        for one in asked:
            if isinstance(one.func, ast.Name) and one.func.id == "next" and one.args:
                run_out(machine, machine.evaluate(one.args[0]))
    if handler.name:
        assign(machine, handler.name, machine.unknown("an exception"))
    machine.execute(handler.body)
    return None


def match_(machine: Machine, node: ast.Match) -> None:
    """`match`: any of the cases may be the one, or none; what is asked decides."""
    subject = machine.evaluate(node.subject)
    key = ("case", machine.site)
    sides: list[tuple[Any, Callable[[], Value]]] = []
    for at, case in enumerate(node.cases):
        sides.append(([((key, at), True)], lambda case=case: machine.execute(case.body)))  # type: ignore[misc]
    if not any(isinstance(case.pattern, ast.MatchAs) and case.guard is None for case in node.cases):
        sides.append(([((key, len(node.cases)), True)], lambda: None))
    machine.fork(sides, gather(machine, (subject,)).taints)


def nothing(machine: Machine, node: ast.stmt) -> None:
    """A statement that does nothing here: pass, global, nonlocal."""


STATEMENTS: dict[type[ast.AST], Any] = {
    ast.Expr: expression,
    ast.Assign: assignment,
    ast.AnnAssign: annotated,
    ast.AugAssign: augmented,
    ast.If: if_,
    ast.For: for_,
    ast.AsyncFor: for_,
    ast.While: while_,
    ast.Break: break_,
    ast.Continue: continue_,
    ast.Return: return_,
    ast.Raise: raise_,
    ast.Assert: assert_,
    ast.FunctionDef: function,
    ast.AsyncFunctionDef: function,
    ast.ClassDef: class_,
    ast.Delete: delete,
    ast.With: with_,
    ast.AsyncWith: with_,
    ast.Try: try_,
    ast.Match: match_,
    ast.Import: import_,
    ast.ImportFrom: import_from,
    ast.Pass: nothing,
    ast.Global: nothing,
    ast.Nonlocal: nothing,
}
