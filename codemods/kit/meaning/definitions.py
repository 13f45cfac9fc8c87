"""Definitions of functions and classes, with what their decorators make of them."""

from __future__ import annotations

import ast

from codemods.kit.meaning.expressions import make_function
from codemods.kit.meaning.machine import Machine
from codemods.kit.meaning.names import assign, names_of
from codemods.kit.meaning.tensors import is_unknown
from codemods.kit.meaning.values import (
    ABSENT,
    Bound,
    ClassValue,
    Function,
    Obj,
    Partial,
    Scope,
    Value,
)

_MARKS = ("property", "staticmethod", "classmethod", "abstractmethod", "cached_property")


def function(machine: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """A definition, with what its decorators make of it."""
    made: Value = make_function(machine, node, node.name)
    scope = machine.frame.scope
    for decorator in reversed(node.decorator_list):
        name = decorator.attr if isinstance(decorator, ast.Attribute) else getattr(decorator, "id", "")
        if isinstance(made, Function) and name in _MARKS:
            mark = "property" if name == "cached_property" else name
            made = _marked(made, mark)
        elif isinstance(decorator, ast.Attribute) and name == "setter":
            machine.heap.write(scope, f"{node.name}.setter", made)
            return
        else:
            called = machine.call(machine.evaluate(decorator), made)
            # a decorator that is not read is taken to leave what its function does
            made = called if isinstance(called, (Function, Partial, ClassValue, Bound)) or is_model(called) else made
    assign(machine, node.name, made)


def is_model(value: Value) -> bool:
    """Whether a value is an object of a class that is read."""
    return isinstance(value, Obj) and isinstance(value.cls, ClassValue)


def _marked(made: Function, mark: str) -> Function:
    return Function(
        made.name,
        made.node,
        made.scope,
        made.module,
        made.defaults,
        made.keyword_defaults,
        made.owner,
        made.generates,
        made.marks | {mark},
    )


_EMPTY = ("abc.ABC", "typing.Generic", "typing.Protocol")
"""Bases that give a class nothing."""


def _bases(machine: Machine, node: ast.ClassDef) -> tuple[Value, ...]:
    """What a class derives from. Where a base is not read, and the class has a `forward`, it is a network."""
    found: list[Value] = []
    for base in node.bases:
        generic = isinstance(base, ast.Subscript)
        one = machine.facts.settle(machine.evaluate(base.value if isinstance(base, ast.Subscript) else base))
        if one is not machine.builtins.get("object") and not _gives_nothing(one):
            found.append(machine.facts.settle(machine.evaluate(base)) if generic else one)
    own = next((one for one in node.body if isinstance(one, ast.FunctionDef) and one.name == "forward"), None)
    if own is not None and not any(getattr(one, "id", "") == "staticmethod" for one in own.decorator_list):
        order = [one for base in found for one in (base.order if isinstance(base, ClassValue) else (base,))]
        module = _module(machine) if any(map(is_unknown, order)) else None
        if isinstance(module, ClassValue) and module not in order:
            found.append(module)
    return tuple(found)


def _gives_nothing(base: Value) -> bool:
    """`ABC`, `Generic[T]`."""
    return isinstance(base, Obj) and base.fields.get("__name__") in _EMPTY


def _module(machine: Machine) -> Value:
    library = machine.library.load(machine, "torch.nn", machine.frame)
    return library.fields.get("Module") if isinstance(library, Obj) else None


def class_(machine: Machine, node: ast.ClassDef) -> None:
    """A class: its body is executed in a scope of its own, which becomes its namespace."""
    frame = machine.frame
    outer = frame.scope
    scope = Scope(machine.site, machine.heap.serial(), outer, names_of(node).local, is_class=True)
    known = _bases(machine, node)
    made = ClassValue(node.name, scope, known, frame.module.fields.get("__name__", ""))
    scope.fields["__class__"] = made
    frame.scope = scope
    try:
        machine.execute(node.body)
    finally:
        frame.scope = outer
    value: Value = made
    for decorator in reversed(node.decorator_list):
        called = machine.call(machine.evaluate(decorator), value)
        value = called if isinstance(called, (ClassValue, Function, Partial)) else value
    for base in known:
        hook = base.find("__init_subclass__") if isinstance(base, ClassValue) else ABSENT
        if isinstance(hook, Function):
            machine.call(hook, made, **{one.arg: machine.evaluate(one.value) for one in node.keywords if one.arg})
    assign(machine, node.name, value)
